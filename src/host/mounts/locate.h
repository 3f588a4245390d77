// Finds the block device and the mount for a path that a job names. A path that does not exist yet is on the device of
// its nearest existing parent directory. Reads the mount table once, at construction. Const members are thread-safe.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "host/mounts/mount_table.h"

namespace fathom::host::mounts {

class Locator {
 public:
  explicit Locator(const std::string& prefix = "");
  explicit Locator(std::vector<Mount> mounts) : mounts_(std::move(mounts)) {}

  // "regular", "block", "character", "directory", "other"; "regular" for a path that does not exist yet.
  static std::string kind(const std::string& path);
  // The block device itself, or the one that holds the file; 0: no device (tmpfs, nfs, a character device). `writes`:
  // the destination of writes; on an overlay this is a different layer than the one that holds the file.
  dev_t device(const std::string& path, bool writes = false) const;
  // True if a file on an overlay may be on another device than device() returns: its layers are on several devices, or
  // not visible.
  bool may_lie_elsewhere(const std::string& path) const;
  // True if reads or writes of a file stay in memory: on tmpfs, or in an overlay layer in memory.
  bool in_memory(const std::string& path, bool writes = false) const;
  // Why a file without a known device may still be on a disk: an overlay without visible layers, a network file system.
  // "": it is on a device, or in memory.
  std::string unfollowed(const std::string& path) const;
  // The mount that holds the file; nullptr for a device, which is not part of the file system of its node.
  const Mount* mount(const std::string& path) const;

 private:
  const Mount* mount_at(const std::string& existing) const;
  std::vector<Mount> mounts_;
};

}  // namespace fathom::host::mounts
