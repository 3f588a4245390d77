// A file that gets its name when it is complete, so that SIGKILL leaves the old file or the new one: without a name until
// then where the file system can do that, else under one that no other process can guess. Sources: O_TMPFILE in open(2),
// linkat(2), renameat2(2). Thread rule: one thread.
#pragma once
#include <sys/types.h>

#include <string>
#include <utility>

#include "base/system/fd.h"

namespace fathom::base::files {

class Beside {
 public:
  // named: has its temporary name from the beginning, so that /proc/PID/maps shows what is mapped under the later one.
  enum class Begin { unnamed, named };
  // In the directory of this descriptor, which outlives it. No file: fd() is -1, and errno says why.
  Beside(int directory, const std::string& name, mode_t mode, Begin begin = Begin::unnamed);
  ~Beside();  // what has no name yet goes
  Beside(const Beside&) = delete;
  int fd() const { return fd_.get(); }
  system::UniqueFd release() { return std::move(fd_); }
  // 0 or errno. is_new: no file of that name is replaced (EEXIST).
  int take_name(const std::string& name, bool is_new);

 private:
  int link(const std::string& name) const;

  int directory_;
  std::string next_;
  system::UniqueFd fd_;
  bool named_ = false;  // the temporary name exists
};

// What a full disk, a quota or a limit of file sizes says.
bool is_of_space(int err);

}  // namespace fathom::base::files
