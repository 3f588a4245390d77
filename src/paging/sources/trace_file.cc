// Returns lines from a buffer, which is refilled when it has no whole line left.
#include "paging/sources/trace_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "paging/sources/trace_text.h"

namespace fathom::paging::sources {

base::Expected<TraceFile> TraceFile::open(const std::string& path) {
  TraceFile file;
  file.path_ = path;
  file.fd_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.fd_) return base::system_error("trace " + path, errno);
  struct stat status {};
  if (::fstat(file.fd_.get(), &status) != 0) return base::system_error("trace " + path, errno);
  if (!S_ISREG(status.st_mode))
    return base::Error{base::ErrorKind::usage,
                       "trace " + path + ": not a regular file",
                       "a trace is read twice: for its pages, then for its accesses",
                       "write the trace to a file first",
                       {}};
  ::posix_fadvise(file.fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  file.buffer_ = std::make_unique<char[]>(kBuffer);
  return file;
}

base::Expected<TraceFileId> TraceFile::id() const {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) return base::system_error("trace " + path_, errno);
  return TraceFileId{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec};
}

base::Expected<void> TraceFile::rewind() {
  if (::lseek(fd_.get(), 0, SEEK_SET) < 0) return base::system_error("trace " + path_, errno);
  begin_ = end_ = 0;
  line_number_ = 0;
  at_end_ = false;
  store_after_load_.reset();
  return {};
}

// Returns whether there was more. Moves the rest of the buffer to its beginning.
base::Expected<bool> TraceFile::more() {
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  ssize_t got = 0;
  do got = ::read(fd_.get(), buffer_.get() + end_, kBuffer - end_);
  while (got < 0 && errno == EINTR);
  if (got < 0) return base::system_error("trace " + path_, errno);
  const off_t place = ::lseek(fd_.get(), 0, SEEK_CUR);
  if (place > 0) ::posix_fadvise(fd_.get(), 0, place, POSIX_FADV_DONTNEED);
  end_ += static_cast<std::size_t>(got);
  at_end_ = got == 0;
  return !at_end_;
}

base::Error TraceFile::at_line(std::string_view text, int column, const char* cause) const {
  constexpr std::size_t kShown = 160;
  base::Error error{base::ErrorKind::usage, "trace " + path_ + ": " + cause, {}, {}, {}};
  error.help = "write lines as ` L 04222cac,8` of valgrind --tool=lackey --trace-mem=yes, or `R 7f2000001000`";
  error.place = base::SourcePlace{path_, static_cast<int>(line_number_), column,
                                  std::string(text.substr(0, std::max<std::size_t>(kShown, column))), 1};
  return error;
}

base::Expected<std::optional<std::string_view>> TraceFile::line() {
  constexpr std::size_t kLongest = 4096;
  for (;;) {
    const std::string_view there(buffer_.get() + begin_, end_ - begin_);
    const std::size_t length = there.find('\n');
    if (length != std::string_view::npos || (at_end_ && !there.empty())) {
      const std::string_view found = there.substr(0, length);
      begin_ += std::min(found.size() + 1, there.size());
      ++line_number_;
      return std::optional(found);
    }
    if (at_end_) return std::optional<std::string_view>();
    if (there.size() > kLongest) {
      ++line_number_;
      return at_line(there.substr(0, 1), 1, "a line longer than 4096 characters: not a text trace");
    }
    auto read = more();
    if (!read) return read.error();
  }
}

base::Expected<std::optional<TraceAccess>> TraceFile::next() {
  if (store_after_load_) {
    const TraceAccess store{*store_after_load_, true};
    store_after_load_.reset();
    return std::optional(store);
  }
  for (;;) {
    auto text = line();
    if (!text) return text.error();
    if (!text->has_value()) return std::optional<TraceAccess>();
    const TraceLine access = parse_trace_line(**text);
    if (access.kind == TraceLine::Kind::nothing) continue;
    if (access.kind == TraceLine::Kind::bad) return at_line(**text, access.column, access.cause);
    if (access.kind == TraceLine::Kind::modify) store_after_load_ = access.address;
    return std::optional(TraceAccess{access.address, access.kind == TraceLine::Kind::store});
  }
}

}  // namespace fathom::paging::sources
