// From a path that a job names to the block device and the mount behind it. A path that does not exist yet lies where
// its nearest existing parent folder lies. Reads the mount table once, at construction. Const members are thread-safe.
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
  // The block device itself, or the one that holds the file; 0 if there is none (tmpfs, nfs, a character device).
  // `writes`: where what is written to it goes, which on an overlay is another layer than the one that holds it.
  dev_t device(const std::string& path, bool writes = false) const;
  // Whether a file of an overlay may lie on another device than the one that device() says: its layers lie on several,
  // or are not in sight.
  bool may_lie_elsewhere(const std::string& path) const;
  // Whether what is read from a file, or written to it, stays in memory: on tmpfs, or in a layer of an overlay there.
  bool in_memory(const std::string& path, bool writes = false) const;
  // Why a file that has no such device may lie on a disk all the same: an overlay whose layers are not in sight, a
  // network's file system. "": it lies on a device, or in memory.
  std::string unfollowed(const std::string& path) const;
  // The mount that holds the file; nullptr for a device, which is no part of the file system that its node lies on.
  const Mount* mount(const std::string& path) const;

 private:
  const Mount* mount_at(const std::string& existing) const;
  std::vector<Mount> mounts_;
};

}  // namespace fathom::host::mounts
