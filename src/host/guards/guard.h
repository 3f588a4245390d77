// The guard: what a block device is used for, before anyone writes to it. Destructive actions name their target or are
// refused; a mount and active swap want a second word (permission.h). Thread-safe; looks, and changes nothing.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/disk/device_identity.h"
#include "host/guards/permission.h"
#include "host/placement/placement.h"

namespace fathom::host::guards {

class Surroundings;

struct DeviceUse {
  std::string device;  // as named
  std::string model;
  std::uint64_t size_bytes = 0;
  std::vector<std::string> mounts;  // where it, or a partition of it, or something built on it, is mounted
  bool swap = false;
  std::vector<std::string> holders;     // dm, md ... on it or on its partitions
  std::vector<std::string> loops;       // loop devices attached to it (a file)
  std::string partition_table;          // "gpt", "dos", empty: none (libblkid)
  std::string content;                  // file system or other signature ("ext4", "LVM2_member"), empty: none
  std::string label;                    // of the content
  std::vector<std::string> partitions;  // that the kernel holds and that are not blank: "sda1 carries ext4"; a disk may
                                        // have lost its table and the kernel still know them
  bool busy = false;                    // claimed exclusively by something that none of the above explains: another
                                        // mount namespace, another program
  std::vector<std::string> writers;     // processes that have it, a partition of it or its disk open for writing
  std::vector<std::string> openers;     // processes that have it open at all, asked where it is busy
  bool used_now() const {
    return !mounts.empty() || swap || !holders.empty() || !loops.empty() || busy || !writers.empty();
  }
  bool in_use() const { return used_now() || !partition_table.empty() || !content.empty() || !partitions.empty(); }
};

// `path` must be a block device (ErrorKind::usage). ErrorKind::privilege or io when it cannot be opened and read.
base::Expected<DeviceUse> device_use(const std::string& path);

struct GuardOptions {
  std::set<std::string> allow_destructive;  // --allow-destructive, FATHOM_ALLOW_DESTRUCTIVE (permission.h)
  bool allow_mounted_write = false;         // fio's option: lifts only the mount check
};

struct WriteWish {
  std::string path;
  bool allow_mounted_write = false;
};

// Of one run: a look at every target before it begins, and one at each opened descriptor before the first write to it.
// A device or file that many wishes name is looked at once; and the second look asks what its answer rests on - the
// tables of mounts and swap, and what is built on the device - and judges again only where that has changed, so that a
// thousand workers of one device cost little more than one.
class WriteGuard {
 public:
  explicit WriteGuard(std::set<std::string> allow_destructive, std::string prefix = "")  // before /proc and /sys
      : allowed_(std::move(allow_destructive)), prefix_(std::move(prefix)) {}
  // ErrorKind::refused with model, size and what was found, when writing to a block device, or to a file that backs an
  // attached loop device, would destroy something. A path that is neither, or does not exist yet, is no error.
  base::Expected<void> look(std::span<const WriteWish> wishes, placement::Placements& placements);
  // ErrorKind::refused when `fd`, opened as `path`, is not what look() saw under that name, or is used by now. Any
  // thread, any child of the process that looked.
  base::Expected<void> look_again(const std::string& path, int fd) const;
  // What look() could not find out: "/dev/sdx: unknown whether other processes have the device open for writing: ...".
  const std::vector<std::string>& not_known() const { return not_known_; }
  std::size_t judged() const { return judged_; }  // uses of a device or file that were found out, by this process

 private:
  struct Seen {
    disk::DeviceIdentity identity;
    Permission permission;
    std::vector<std::string> nodes;  // KernelUse::nodes
  };
  struct Work;
  base::Expected<void> look_at(Work& work, const WriteWish& wish, const placement::Placement& target);
  base::Expected<void> look_behind(int fd) const;
  base::Expected<void> judge_again(const std::string& path, dev_t device, const Seen& seen) const;
  bool as_before(Surroundings& around, const Seen& seen, dev_t device) const;
  std::set<std::string> allowed_;
  std::string prefix_;
  std::map<std::string, Seen> seen_;
  std::string mounts_text_, swaps_text_;
  std::vector<std::string> not_known_;
  mutable std::atomic<std::size_t> judged_{0};
};

// The first look alone, at one target.
base::Expected<void> guard_write(const std::string& path, const GuardOptions& options);
// ErrorKind::refused when something uses block device `path` at this moment: a mount, swap, dm, md, another program or
// mount namespace that has claimed it or has it open for writing. No permission lifts this: it is not content that
// would be lost but a use.
base::Expected<void> guard_use(const std::string& path);
// The decisions alone, for tests.
base::Expected<void> judge_use(const DeviceUse& use);
base::Expected<void> judge(const DeviceUse& use, const Permission& permission);
// One line: "/dev/sda (Samsung SSD 990 PRO, 1.8 TiB): gpt partition table; mounted on / (sda2)".
std::string describe(const DeviceUse& use);

}  // namespace fathom::host::guards
