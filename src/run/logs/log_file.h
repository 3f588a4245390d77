// Writes a log to the disk, many lines per write. It keeps the first error, and writes nothing after it.
#pragma once
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/files/output_file.h"
#include "base/files/write_behind.h"

namespace fathom::run::logs {

class LogFile {
 public:
  // append: write after the existing content; false: replace the file. As fio does, it overwrites only a regular file.
  // most_dirty_bytes: passed to base::files::WriteBehind.
  LogFile(std::string path, bool append, std::uint64_t most_dirty_bytes = 0);
  // Lines collect in `text()`; end_line() writes them once they reach kEnough bytes.
  std::string& text() { return text_; }
  void end_line() {
    if (text_.size() >= kEnough) flush();
  }
  void write(const std::string& bytes);
  // The errno of the first failure, or 0.
  int close();
  const std::string& path() const { return path_; }

 private:
  static constexpr std::size_t kEnough = 1 << 18;
  void flush();
  std::string path_, text_;
  base::files::Stream stream_;
  base::files::WriteBehind behind_;
  std::uint64_t end_ = 0;  // bytes written
  int fd_ = -1;
  int error_ = 0;
};

// Checks that a file of this name could be written.
base::Expected<void> may_write(const std::string& path);

}  // namespace fathom::run::logs
