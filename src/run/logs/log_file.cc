// open(2), write(2), close(2), and their errors.
#include "run/logs/log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace fathom::run::logs {

LogFile::LogFile(std::string path, bool append) : path_(std::move(path)) {
  fd_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0644));
  if (!fd_) error_ = errno;
}

void LogFile::write(const std::string& bytes) {
  for (std::string_view left = bytes; !left.empty() && error_ == 0;) {
    const ssize_t n = ::write(fd_.get(), left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      error_ = n == 0 ? EIO : errno;
    else
      left.remove_prefix(static_cast<std::size_t>(n));
  }
}

void LogFile::flush() {
  write(text_);
  text_.clear();
}

int LogFile::close() {
  flush();
  if (fd_ && ::close(fd_.release()) != 0 && error_ == 0) error_ = errno;
  return error_;
}

int cannot_write(const std::string& path) {
  if (::access(path.c_str(), F_OK) == 0) return ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
  const auto slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  return ::access(directory.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

}  // namespace fathom::run::logs
