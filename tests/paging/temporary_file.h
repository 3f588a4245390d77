// A file with a given text that is gone after the test.
#pragma once
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace fathom::paging {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    char name[] = "/var/tmp/fathom-test-XXXXXX";
    const int fd = ::mkstemp(name);
    if (fd < 0) throw std::runtime_error("no temporary file");
    ::close(fd);
    path_ = name;
    write(text);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fathom::paging
