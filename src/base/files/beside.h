// A file that gets its name when it is complete: SIGKILL leaves either the old file or the new one. Until then the file
// has no name if the file system supports that, else a name that no other process can guess. Sources: O_TMPFILE in
// open(2), linkat(2), renameat2(2). Thread rule: one thread.
#pragma once
#include <sys/types.h>

#include <string>
#include <utility>

#include "base/system/fd.h"

namespace fathom::base::files {

class Beside {
 public:
  // named: the file has a temporary name from the beginning, so that /proc/PID/maps shows what is mapped under the
  // later name.
  enum class Begin { unnamed, named };
  // `directory`: descriptor of the directory; it must outlive this object. On failure fd() is -1 and errno has the
  // cause.
  Beside(int directory, const std::string& name, mode_t mode, Begin begin = Begin::unnamed);
  ~Beside();  // removes the file if it has not got its name
  Beside(const Beside&) = delete;
  int fd() const { return fd_.get(); }
  system::UniqueFd release() { return std::move(fd_); }
  // Returns 0 or errno. is_new: an existing file of that name is not replaced (EEXIST).
  int take_name(const std::string& name, bool is_new);

 private:
  int link(const std::string& name) const;

  int directory_;
  std::string next_;
  system::UniqueFd fd_;
  bool named_ = false;  // the temporary name exists
};

// True for the errors of a full disk, a quota or a file size limit.
bool is_of_space(int err);

}  // namespace fathom::base::files
