// Files of bytes. Nothing is followed or appended to: a name that is a link somebody has put there is refused.
#include "run/checks/verify_dump.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/system/fd.h"
#include "verify/fio_lines.h"

namespace fathom::run::checks {
namespace {

int write_file(const std::string& name, std::span<const std::byte> bytes) {
  constexpr mode_t kMode = 0600;  // it holds a file's content
  const base::system::UniqueFd fd(
      ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kMode));
  struct stat file = {};
  if (!fd || ::fstat(fd.get(), &file) != 0) return errno;
  if (!S_ISREG(file.st_mode)) return EEXIST;  // a device of that name
  if (::ftruncate(fd.get(), 0) != 0) return errno;
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace

std::vector<std::string> dump_block(const DumpedBlock& block, const std::string& folder) {
  std::vector<std::string> lines;
  const auto dump = [&](const char* what, std::span<const std::byte> bytes) {
    const std::string name = verify::fio_dump_name(block.file, block.offset, what);
    const int err = write_file(folder.empty() ? name : folder + "/" + name, bytes);
    lines.push_back(err == 0 ? verify::fio_dump_line(what, name)
                             : fmt::format("{} data not dumped as {}: {}", what, name, std::strerror(err)));
  };
  if (block.verdict.of_header()) {
    dump("hdr_fail", block.received);
    return lines;
  }
  dump("received", block.received);
  if (!block.expected.empty()) dump("expected", block.expected);
  return lines;
}

}  // namespace fathom::run::checks
