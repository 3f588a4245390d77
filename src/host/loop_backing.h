// Files that attached loop devices lie on: who writes to such a file writes to the device, and to what is mounted from
// it. Thread-safe; looks, and changes nothing.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace fathom::host {

struct LoopBacking {
  std::string loop;  // "loop3"
  std::string path;  // as the kernel prints it
  dev_t device = 0;  // of the file; 0: not known
  ino_t inode = 0;
  bool backed_by(const struct stat& file) const { return inode != 0 && device == file.st_dev && inode == file.st_ino; }
};

// Every attached loop device. By the loop driver's own word (LOOP_GET_STATUS64) where the device may be opened; a user
// who may not goes by the path in /sys, which of a deleted file, or one of another root folder, leads nowhere.
std::vector<LoopBacking> loop_backings();

}  // namespace fathom::host
