// Where a target lies: target -> file -> file system -> partition -> disks, found out once and then known to all who
// ask. Settle, disk counters, witnesses, facts, guard, split and the way to a PCIe port each used to look for
// themselves, with small differences (a btrfs over two disks, a file of a container's overlay that is about to be
// copied up, a file that is not there yet); now one answer is made before a run and handed on, so that all of them
// speak of the same disk. What changes while it is used (counters, queue settings, who has it open) is none of it and is
// still read when it is wanted. The guard's second look is at the opened descriptor and compares it with this.
// `prefix` stands before /proc and /sys, for tests. Thread rule: one thread; a Placement is a value.
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
  std::string kind = "regular";   // "block", "character", "directory", "other"; of what is not there yet "regular"
  int error = 0;                  // errno of stat(2): ENOENT of a file that is still to be made
  disk::DeviceIdentity identity;  // of a block device; else what compares equal with every other that is none
  dev_t node = 0;                 // the device that it is; of a file st_dev as stat(2) tells it
  ino_t inode = 0;                // of a file
  std::uint64_t size_bytes = 0;   // of a file

  std::string file_system, mount_point, mount_options;  // of the mount that holds a file; empty of a device
  std::vector<std::string> sources;                     // devices that the mount names

  dev_t device = 0;         // that it is or lies on, through btrfs and overlays; 0: none is known
  std::string device_name;  // the kernel's: "sda1"
  std::string disk;         // whole: "sda"
  bool partition = false;
  std::uint64_t first_sector = 0;  // of the partition on its disk, in sectors of 512 bytes
  std::vector<std::string> disks;  // all whole disks that hold its file system, the own one first
  bool may_lie_elsewhere = false;  // Locator::may_lie_elsewhere
  std::string unfollowed;          // Locator::unfollowed
  bool in_memory = false;          // Locator::in_memory

  bool on_file_system() const { return !mount_point.empty(); }
};

// The answers of one command: each path once (a path that is read and one that is written may differ on an overlay),
// by one reading of the mount table.
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
  std::map<dev_t, std::vector<std::string>> disks_;  // a thousand files on one file system are one look into sysfs
};

// Of one path, now.
Placement place(const std::string& path, const std::string& prefix = "");
// Whole disks, each once, in order; what lies on none is left out.
std::vector<std::string> disks_of(const std::vector<Placement>& placements);

}  // namespace fathom::host::placement
