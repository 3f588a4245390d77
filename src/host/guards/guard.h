// The guard: finds the uses of a block device before the first write. Destructive actions must name their target, else
// they are refused; mounts and active swap require a second word (permission.h). Thread-safe; changes nothing.
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
  std::vector<std::string> mounts;  // where it, a partition of it, or a device built on it is mounted
  bool swap = false;
  std::vector<std::string> holders;  // dm, md ... on it or on its partitions
  std::vector<std::string> loops;    // loop devices attached to it (a file)
  std::string partition_table;       // "gpt", "dos", empty: none (libblkid)
  std::string content;               // file system or other signature ("ext4", "LVM2_member"), empty: none
  std::string label;                 // of the content
  // nonblank ones that the kernel knows: "sda1 carries ext4"; the kernel may still know them after the disk lost its
  // table
  std::vector<std::string> partitions;
  // claimed exclusively by a user not found above: another mount namespace, another program
  bool busy = false;
  std::vector<std::string> writers;  // processes that have it, a partition of it or its disk open for writing
  std::vector<std::string> openers;  // processes that have it open at all; checked if busy
  bool used_now() const {
    return !mounts.empty() || swap || !holders.empty() || !loops.empty() || busy || !writers.empty();
  }
  bool in_use() const { return used_now() || !partition_table.empty() || !content.empty() || !partitions.empty(); }
};

// `path` must be a block device (ErrorKind::usage). ErrorKind::privilege or io: it cannot be opened and read.
base::Expected<DeviceUse> device_use(const std::string& path);

struct GuardOptions {
  std::set<std::string> allow_destructive;  // --allow-destructive, FATHOM_ALLOW_DESTRUCTIVE (permission.h)
  bool allow_mounted_write = false;         // fio's option: lifts only the mount check
};

struct WriteWish {
  std::string path;
  bool allow_mounted_write = false;
};

// The guard of one run: checks every target before the run begins, and each opened descriptor before its first write. A
// device or file that many wishes name is checked once. The second check compares only the inputs of the first one (the
// tables of mounts and swap, and the devices built on the device), and judges again only if they changed. So a thousand
// workers on one device cost little more than one.
class WriteGuard {
 public:
  explicit WriteGuard(std::set<std::string> allow_destructive, std::string prefix = "")  // before /proc and /sys
      : allowed_(std::move(allow_destructive)), prefix_(std::move(prefix)) {}
  // ErrorKind::refused with model, size and findings: writing to a block device, or to a file that backs an attached
  // loop device, would destroy something. Other paths, and missing ones, are no error.
  base::Expected<void> look(std::span<const WriteWish> wishes, placement::Placements& placements);
  // ErrorKind::refused: `fd`, opened as `path`, is not the file that look() saw under that name, or is now in use. Any
  // thread, any child of the process that called look().
  base::Expected<void> look_again(const std::string& path, int fd) const;
  // Facts that look() could not determine: "/dev/sdx: unknown whether other processes have the device open for writing:
  // ...".
  const std::vector<std::string>& not_known() const { return not_known_; }
  std::size_t judged() const { return judged_; }  // uses of a device or file that this process determined

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

// The first check alone, for one target.
base::Expected<void> guard_write(const std::string& path, const GuardOptions& options);
// ErrorKind::refused: something uses block device `path` at this moment: a mount, swap, dm, md, another program or
// mount namespace that has claimed it or has it open for writing. No permission lifts this: it protects an active use,
// not content.
base::Expected<void> guard_use(const std::string& path);
// The decisions alone, for tests.
base::Expected<void> judge_use(const DeviceUse& use);
base::Expected<void> judge(const DeviceUse& use, const Permission& permission);
// One line: "/dev/sda (Samsung SSD 990 PRO, 1.8 TiB): gpt partition table; mounted on / (sda2)".
std::string describe(const DeviceUse& use);

}  // namespace fathom::host::guards
