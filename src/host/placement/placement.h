// The location of a target: target -> file -> file system -> partition -> disks, determined once and then shared by all
// callers. Earlier, settle, disk counters, witnesses, facts, guard, breakdown and the search for a PCIe port each
// determined it separately, with small differences (a btrfs over two disks, a file of a container's overlay that is
// about to be copied up, a file that does not exist yet). Now one result is made before a run and passed on, so that
// all of them use the same disk. Values that change during use (counters, queue settings, open descriptors of
// processes) are not part of it and are read when needed. The guard's second check compares the opened descriptor with
// this. `prefix` precedes /proc and /sys, for tests. Thread rule: one thread; a Placement is a value.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/disk/block_tree.h"
#include "host/disk/device_identity.h"
#include "host/mounts/locate.h"

namespace fathom::host::placement {

struct Placement {
  std::string path;               // as the job names it
  std::string kind = "regular";   // "block", "character", "directory", "other"; a missing path: "regular"
  int error = 0;                  // errno of stat(2): ENOENT for a file that the job will create
  disk::DeviceIdentity identity;  // of a block device; for others a value that compares equal among all of them
  dev_t node = 0;                 // number of the device; for a file st_dev of stat(2)
  ino_t inode = 0;                // of a file
  std::uint64_t size_bytes = 0;   // of a file

  std::string file_system, mount_point, mount_options;  // of the mount that holds a file; empty for a device
  std::vector<std::string> sources;                     // devices that the mount names

  dev_t device = 0;         // the device itself, or the one below, through btrfs and overlays; 0: unknown
  std::string device_name;  // the kernel's: "sda1"
  std::string disk;         // whole: "sda"
  bool partition = false;
  std::uint64_t first_sector = 0;  // of the partition on its disk, in sectors of 512 bytes
  std::vector<std::string> disks;  // all whole disks that hold its file system, its own first
  bool may_lie_elsewhere = false;  // Locator::may_lie_elsewhere
  std::string unfollowed;          // Locator::unfollowed
  bool in_memory = false;          // Locator::in_memory

  bool on_file_system() const { return !mount_point.empty(); }
};

// The results of one command, from one read of the mount table. Each path is located once (a path that is read and one
// that is written may differ on an overlay).
class Placements {
 public:
  explicit Placements(const std::string& prefix = "") : locator_(prefix), tree_(prefix) {}
  const Placement& of(const std::string& path, bool writes = false);

 private:
  Placement find(const std::string& path, bool writes);
  const std::vector<std::string>& disks_of_files(dev_t device);
  mounts::Locator locator_;
  disk::BlockTree tree_;
  std::map<std::pair<std::string, bool>, Placement> known_;
  std::map<dev_t, std::vector<std::string>> disks_;  // a thousand files on one file system need one sysfs lookup
};

// Locates one path, now.
Placement place(const std::string& path, const std::string& prefix = "");
// Placement::disk of each, once, in order; placements without a disk are omitted.
std::vector<std::string> disks_of(const std::vector<Placement>& placements);

}  // namespace fathom::host::placement
