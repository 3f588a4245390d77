// The guard: what a block device is used for, before anyone writes to it. Destructive actions name their target or are
// refused. Thread-safe; looks, and changes nothing.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::host {

struct DeviceUse {
  std::string device;  // as named
  std::string model;
  std::uint64_t size_bytes = 0;
  std::vector<std::string> mounts;  // where it, or a partition of it, or something built on it, is mounted
  bool swap = false;
  std::vector<std::string> holders;  // dm, md ... on it or on its partitions
  std::string partition_table;       // "gpt", "dos", empty: none (libblkid)
  std::string content;               // file system or other signature ("ext4", "LVM2_member"), empty: none
  std::string label;                 // of the content
  bool busy = false;                 // claimed exclusively by something that none of the above explains: another mount
                                     // namespace, another program
  bool in_use() const {
    return !mounts.empty() || swap || !holders.empty() || !partition_table.empty() || !content.empty() || busy;
  }
};

// `path` must be a block device (ErrorKind::usage). ErrorKind::privilege or io when it cannot be opened and read.
base::Expected<DeviceUse> device_use(const std::string& path);

struct GuardOptions {
  std::set<std::string>
      allow_destructive;             // --allow-destructive, FATHOM_ALLOW_DESTRUCTIVE: paths, compared by device number
  bool allow_mounted_write = false;  // lifts only the mount check
};

// ErrorKind::refused with model, size and what was found, when writing to block device `path` would destroy something.
// A path that is no block device, or does not exist yet, is not the guard's business: no error.
base::Expected<void> guard_write(const std::string& path, const GuardOptions& options);
// ErrorKind::refused when something uses block device `path` at this moment: a mount, swap, dm, md, another program or
// mount namespace that has claimed it. No permission lifts this: it is not content that would be lost but a use.
base::Expected<void> guard_use(const std::string& path);
// The decisions alone, for tests.
base::Expected<void> judge_use(const DeviceUse& use);
base::Expected<void> judge(const DeviceUse& use, const GuardOptions& options, bool named);
// One line: "/dev/sda (Samsung SSD 990 PRO, 1.8 TiB): gpt partition table; mounted on / (sda2)".
std::string describe(const DeviceUse& use);

}  // namespace fathom::host
