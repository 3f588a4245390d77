// A log on its way to the disk: many lines a write. What fails first is kept, and nothing is written after it.
#pragma once
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/files/output_file.h"
#include "base/files/write_behind.h"

namespace fathom::run::logs {

class LogFile {
 public:
  // append: behind what is there; else it is a new one. As fio, it overwrites a regular file, and nothing else.
  // most_dirty_bytes: of base::files::WriteBehind.
  LogFile(std::string path, bool append, std::uint64_t most_dirty_bytes = 0);
  // Lines gather in `text()`; end_line() writes when there are enough.
  std::string& text() { return text_; }
  void end_line() {
    if (text_.size() >= kEnough) flush();
  }
  void write(const std::string& bytes);
  // The errno of what failed, or 0.
  int close();
  const std::string& path() const { return path_; }

 private:
  static constexpr std::size_t kEnough = 1 << 18;
  void flush();
  std::string path_, text_;
  base::files::Stream stream_;
  base::files::WriteBehind behind_;
  std::uint64_t end_ = 0;  // of what was written
  int fd_ = -1;
  int error_ = 0;
};

// Whether a file of this name could be written.
base::Expected<void> may_write(const std::string& path);

}  // namespace fathom::run::logs
