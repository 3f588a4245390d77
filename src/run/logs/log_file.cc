// Writes log files. The error of a log becomes the error of its job, so the errno is kept.
#include "run/logs/log_file.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace fathom::run::logs {
namespace {

base::Expected<base::files::Place> look_at_log(const std::string& path) {
  base::files::NamedFiles none;
  return base::files::look_at({"write_*_log", path, nullptr, true}, none);
}

int errno_of(const base::Error& error) { return error.sys_errno != 0 ? error.sys_errno : EPERM; }

}  // namespace

LogFile::LogFile(std::string path, bool append, std::uint64_t most_dirty_bytes)
    : path_(std::move(path)), behind_(most_dirty_bytes) {
  auto place = look_at_log(path_);
  if (!place) {
    error_ = errno_of(place.error());
    return;
  }
  using Start = base::files::Stream::Start;
  stream_ = base::files::Stream(std::move(*place), append ? Start::appended : Start::emptied);
  const auto fd = stream_.open();
  if (fd)
    fd_ = *fd;
  else
    error_ = errno_of(fd.error());
  if (const off_t at = append && fd ? ::lseek(fd_, 0, SEEK_END) : 0; at > 0) end_ = static_cast<std::uint64_t>(at);
  behind_.begin_at(end_);
}

void LogFile::write(const std::string& bytes) {
  if (error_ == 0) error_ = base::files::write_all(fd_, bytes);
  end_ += bytes.size();
  if (error_ == 0) behind_.wrote(fd_, end_);
}

void LogFile::flush() {
  write(text_);
  text_.clear();
}

int LogFile::close() {
  flush();
  stream_ = {};
  return error_;
}

base::Expected<void> may_write(const std::string& path) {
  const auto place = look_at_log(path);
  return place ? base::Expected<void>() : base::Expected<void>(place.error());
}

}  // namespace fathom::run::logs
