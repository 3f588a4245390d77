// Buffered reading of a trace.
#include "trace/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text/printable.h"

namespace fathom::trace {
namespace {

base::Expected<base::system::UniqueFd> connect_to(const std::string& path, const std::string& shown) {
  sockaddr_un address = {};
  if (path.size() >= sizeof address.sun_path) return base::system_error("connect to " + shown, ENAMETOOLONG);
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  base::system::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return base::system_error("connect to " + shown, errno);
  return fd;
}

base::Error a_device(const std::string& shown) {
  return {
      .what = "cannot read trace " + shown, .cause = "the file is a device", .help = "name a file, a pipe or a socket"};
}

base::Expected<base::system::UniqueFd> opened(const std::string& path, const std::string& shown) {
  struct stat file = {};
  if (::stat(path.c_str(), &file) == 0) {
    if (S_ISSOCK(file.st_mode)) return connect_to(path, shown);
    if (S_ISBLK(file.st_mode)) return a_device(shown);
    if (S_ISDIR(file.st_mode)) return base::system_error("trace " + shown, EISDIR);
  }
  base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
  if (!fd) return base::system_error("trace " + shown, errno);
  const bool is_null = S_ISCHR(file.st_mode) && path == "/dev/null";
  if (S_ISCHR(file.st_mode) && !is_null && ::isatty(fd.get()) == 0) return a_device(shown);
  return fd;
}

}  // namespace

Input::Input(base::system::UniqueFd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)), buffer_(new char[kBuffer_bytes]) {}

base::Expected<std::unique_ptr<Input>> Input::open(const std::string& path) {
  if (path == "-") {
    base::system::UniqueFd fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!fd) return base::system_error("trace from standard input", errno);
    return std::make_unique<Input>(std::move(fd), "<stdin>");
  }
  auto fd = opened(path, fmt::format("`{}`", base::text::printable(path)));
  if (!fd) return std::move(fd.error());
  return std::make_unique<Input>(std::move(*fd), path);
}

// Reads once, after the bytes that are not consumed yet.
base::Expected<void> Input::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  ssize_t n = 0;
  do n = ::read(fd_.get(), buffer_.get() + end_, kBuffer_bytes - end_);
  while (n < 0 && errno == EINTR);
  if (n < 0) return base::system_error(fmt::format("read `{}`", base::text::printable(name_)), errno);
  ended_ = n == 0;
  end_ += static_cast<std::size_t>(n);
  return {};
}

base::Expected<std::string_view> Input::head() {
  constexpr std::size_t kLeast_bytes = 8, kEnough_bytes = 4096;
  while (!ended_ && have().size() < kEnough_bytes &&
         (have().size() < kLeast_bytes || have().find('\n') == std::string_view::npos))
    if (auto filled = fill(); !filled) return std::move(filled.error());
  return have();
}

base::Expected<std::string_view> Input::peek(std::size_t least) {
  while (!ended_ && have().size() < least)
    if (auto filled = fill(); !filled) return std::move(filled.error());
  return have();
}

base::Expected<bool> Input::next_line(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const auto text = have();
    auto length = text.find('\n', searched);
    searched = text.size();
    if (length == std::string_view::npos && ended_) {
      if (text.empty()) return false;
      unterminated_ = true;
      length = text.size();
    }
    if (length != std::string_view::npos && length <= kLongestLine_bytes) {
      line = text.substr(0, length);
      if (line.ends_with('\r')) line.remove_suffix(1);
      consume(std::min(length + 1, text.size()));
      return ++lines_, true;
    }
    if (text.size() > kLongestLine_bytes)
      return base::Error{.what = fmt::format("line longer than {} KiB", kLongestLine_bytes >> 10),
                         .cause = "no trace format has such lines: the file may be damaged",
                         .place = base::SourcePlace{.file = name_, .line = static_cast<int>(lines_ + 1)}};
    if (auto filled = fill(); !filled) return std::move(filled.error());
  }
}

base::Expected<std::string_view> Input::next_bytes(std::size_t size) {
  if (auto there = peek(size); !there) return there;
  const auto bytes = have().substr(0, size);
  consume(bytes.size());
  return bytes;
}

}  // namespace fathom::trace
