// Reads seven short lines into a buffer on the stack, because a running worker may not allocate.
#include "run/records/process_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace fathom::run::records {
namespace {

struct CountRow {
  std::string_view name;
  std::uint64_t ProcessIoCounts::*member;
};
constexpr CountRow kCountRows[] = {
    {"rchar", &ProcessIoCounts::rchar},
    {"wchar", &ProcessIoCounts::wchar},
    {"read_bytes", &ProcessIoCounts::read_bytes},
    {"write_bytes", &ProcessIoCounts::write_bytes},
    {"cancelled_write_bytes", &ProcessIoCounts::cancelled_write_bytes},
};

}  // namespace

ProcessIoCounts parse_process_io(std::string_view text) {
  ProcessIoCounts counts{};
  std::size_t found = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    for (const auto& row : kCountRows)
      if (line.substr(0, colon) == row.name)
        found +=
            std::from_chars(line.data() + colon + 2, line.data() + line.size(), counts.*row.member).ec == std::errc()
                ? 1
                : 0;
  }
  counts.readable = found == std::size(kCountRows);
  return counts;
}

ProcessIoCounts read_process_io(bool thread) {
  const int fd = ::open(thread ? "/proc/thread-self/io" : "/proc/self/io", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char text[512];
  const ssize_t n = ::read(fd, text, sizeof text);
  ::close(fd);
  return n > 0 ? parse_process_io({text, static_cast<std::size_t>(n)}) : ProcessIoCounts{};
}

ProcessIoCounts grown(const ProcessIoCounts& begin, const ProcessIoCounts& end) {
  if (!begin.readable || !end.readable) return {};
  ProcessIoCounts counts{};
  counts.readable = true;
  for (const auto& row : kCountRows) {
    const auto from = begin.*row.member, to = end.*row.member;
    counts.*row.member = to > from ? to - from : 0;
  }
  return counts;
}

void add(ProcessIoCounts& into, const ProcessIoCounts& from) {
  into.readable &= from.readable;
  into.rchar += from.rchar;
  into.wchar += from.wchar;
  into.read_bytes += from.read_bytes;
  into.write_bytes += from.write_bytes;
  into.cancelled_write_bytes += from.cancelled_write_bytes;
}

}  // namespace fathom::run::records
