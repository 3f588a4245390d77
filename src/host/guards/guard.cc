// The guard examines a device in four ways. The kernel's tables show its users. Its content shows what is stored on it,
// including the content of its partitions as the kernel knows them: a disk without its partition table still has them.
// An exclusive open finds users that this process cannot see, such as a mount in another namespace: the kernel refuses
// it for a device claimed by a mount, swap, dm or md. The descriptors of other processes show possible writers.
#include "host/guards/guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/system/fd.h"
#include "host/disk/block_tree.h"
#include "host/disk/generic_device.h"
#include "host/disk/signatures.h"
#include "host/guards/surroundings.h"
#include "host/mounts/kernel_use.h"

namespace fathom::host::guards {
namespace {

// The content of the disk's partitions that the kernel knows now, regardless of the disk's first sectors. A disk with a
// wiped table keeps its partitions and their file systems until the table is read again.

// "sda1 carries ext4 (label \"home\")" for each partition with content. `fd`: the disk, open for reading. A partition
// without a node in /dev (in containers) is read through it.
std::vector<std::string> partition_contents(const disk::BlockTree& tree, const std::string& disk, int fd);

base::system::UniqueFd open_node(const disk::BlockTree& tree, const std::string& name) {
  base::system::UniqueFd fd(::open(("/dev/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat st {};
  if (fd && ::fstat(fd.get(), &st) == 0 && S_ISBLK(st.st_mode) && tree.device_of(name) == st.st_rdev) return fd;
  return {};
}

base::Expected<disk::Signatures> look(const disk::BlockTree& tree, const std::string& name, int disk) {
  if (const auto node = open_node(tree, name)) return disk::probe_signatures(node.get(), name);
  constexpr std::uint64_t kSectorBytes = 512;  // sysfs uses this unit regardless of the device's block size
  const auto start = std::strtoull(tree.attribute(name, "start").c_str(), nullptr, 10) * kSectorBytes;
  return disk::probe_signatures(disk, name, start, tree.size_bytes(name));
}

std::vector<std::string> partition_contents(const disk::BlockTree& tree, const std::string& disk, int fd) {
  std::vector<std::string> all;
  for (const auto& name : tree.partitions(disk)) {
    const auto found = look(tree, name, fd);
    if (!found || (found->content.empty() && found->partition_table.empty())) continue;
    const std::string label = found->label.empty() ? "" : fmt::format(" (label \"{}\")", found->label);
    all.push_back(found->content.empty() ? fmt::format("{} has a {} partition table", name, found->partition_table)
                                         : fmt::format("{} carries {}{}", name, found->content, label));
  }
  return all;
}

base::Error not_a_block_device(const std::string& path) {
  return {base::ErrorKind::usage,
          path + ": not a block device",
          "",
          "name a device such as /dev/nvme0n1 or /dev/sdb",
          {},
          0};
}

// The exclusive open lasts for an instant. Another program that does the same check at the same time must not be taken
// for a user.
bool claimed_exclusively(const std::string& path) {
  constexpr int kTries = 5;
  constexpr useconds_t kPauseUs = 5000;
  for (int i = 0; i < kTries; ++i) {
    const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK));
    if (fd || errno != EBUSY) return false;
    ::usleep(kPauseUs);
  }
  return true;
}

void add_kernel_use(mounts::KernelUse&& kernel, DeviceUse& use) {
  use.mounts = std::move(kernel.mounts);
  use.holders = std::move(kernel.holders);
  use.swap = kernel.swap;
}

// Another loop device for the same part of the same file has the same bytes.
void add_other_loops(Surroundings& around, const std::string& name, DeviceUse& use) {
  if (!name.starts_with("loop")) return;
  const auto& loops = around.loops();
  const std::string disk = around.tree().whole_disk(name);
  const auto own = std::find_if(loops.begin(), loops.end(), [&](const auto& one) { return one.loop == disk; });
  if (own == loops.end()) return;
  for (const auto& other : loops) {
    if (other.loop == disk || !other.shares_bytes_with(*own)) continue;
    const auto kernel = mounts::kernel_use(around.tree(), other.loop, around.mounts(), around.swaps());
    const std::string by = " (" + other.loop + ", over the same file)";
    for (const auto& mount : kernel.mounts) use.mounts.push_back(mount + by);
    for (const auto& holder : kernel.holders) use.holders.push_back(holder + by);
    use.swap |= kernel.swap;
  }
}

// The use of the device according to the kernel's tables, without opening it.
DeviceUse kernel_knows(Surroundings& around, const std::string& path, dev_t device) {
  const std::string name = around.tree().name_of(device);
  DeviceUse use;
  use.device = path;
  use.model = around.tree().model(name);
  use.size_bytes = around.tree().size_bytes(name);
  add_kernel_use(mounts::kernel_use(around.tree(), name, around.mounts(), around.swaps()), use);
  add_other_loops(around, name, use);
  return use;
}

bool has_known_user(const DeviceUse& use) { return !use.mounts.empty() || use.swap || !use.holders.empty(); }

// Examines a claim that the tables above do not explain. A mount in another namespace is reported as a mount. Only an
// unexplained claim is reported as "busy", with the programs that may have caused it.
void find_hidden_use(Surroundings& around, dev_t device, DeviceUse& use) {
  if (has_known_user(use) || !claimed_exclusively(use.device)) return;
  use.mounts = around.mounts_elsewhere(device);
  use.busy = use.mounts.empty();
  if (use.busy) use.openers = around.openers_of(device);
}

base::Expected<void> look_inside(Surroundings& around, dev_t device, DeviceUse& use) {
  const base::system::UniqueFd fd(::open(use.device.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return base::system_error(use.device + ": cannot open the device to read its contents", errno);
  if (::ioctl(fd.get(), BLKGETSIZE64, &use.size_bytes) != 0) return base::system_error(use.device + ": size", errno);
  if (use.size_bytes == 0) return {};
  auto found = disk::probe_signatures(fd.get(), use.device);
  if (!found) return found.error();
  use.partition_table = std::move(found->partition_table);
  use.content = std::move(found->content);
  use.label = std::move(found->label);
  use.partitions = partition_contents(around.tree(), around.tree().name_of(device), fd.get());
  return {};
}

// For a file: its loop devices, and their users.
DeviceUse file_use(Surroundings& around, const placement::Placement& file) {
  DeviceUse use;
  use.device = file.path;
  use.size_bytes = file.size_bytes;
  const auto written = mounts::written_files(file.path, {file.node, file.inode}, around.mounts());
  for (const auto& backing : around.loops()) {
    if (std::none_of(written.begin(), written.end(), [&](const auto& one) { return backing.backed_by(one); })) continue;
    use.loops.push_back(backing.loop);
    auto kernel = mounts::kernel_use(around.tree(), backing.loop, around.mounts(), around.swaps());
    use.mounts.insert(use.mounts.end(), kernel.mounts.begin(), kernel.mounts.end());
    use.holders.insert(use.holders.end(), kernel.holders.begin(), kernel.holders.end());
    use.swap |= kernel.swap;
  }
  return use;
}

base::Expected<void> may_write_device(Surroundings& around, const std::string& path, dev_t device,
                                      const Permission& permission) {
  DeviceUse use = kernel_knows(around, path, device);
  const auto looked = permission.named ? base::Expected<void>() : look_inside(around, device, use);
  find_hidden_use(around, device, use);
  if (!permission.named) use.writers = around.writers_of(device);
  const auto verdict = judge(use, permission);
  // A known use is a better answer than "permission denied". If no use is known but the content could not be read,
  // writing is not permitted.
  return verdict.ok() && !looked.ok() ? looked : verdict;
}

std::vector<std::string> nodes_of(const disk::BlockTree& tree, dev_t device) {
  return mounts::kernel_use(tree, tree.name_of(device), {}, {}).nodes;
}

base::Error changed(const std::string& path, const std::string& how) {
  base::Error error;
  error.kind = base::ErrorKind::refused;
  error.what = "refused to write to " + path + ": changed after the check before the run";
  error.cause = how;
  error.help = "run again when the device no longer changes";
  return error;
}

}  // namespace

base::Expected<DeviceUse> device_use(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return base::system_error(path, errno);
  if (!S_ISBLK(st.st_mode)) return not_a_block_device(path);
  Surroundings around;
  DeviceUse use = kernel_knows(around, path, st.st_rdev);
  const auto looked = look_inside(around, st.st_rdev, use);
  if (!looked) return looked.error();
  find_hidden_use(around, st.st_rdev, use);
  use.writers = around.writers_of(st.st_rdev);
  return use;
}

base::Expected<void> guard_use(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return base::system_error(path, errno);
  if (!S_ISBLK(st.st_mode)) return not_a_block_device(path);
  Surroundings around;
  DeviceUse use = kernel_knows(around, path, st.st_rdev);
  find_hidden_use(around, st.st_rdev, use);
  use.writers = around.writers_of(st.st_rdev);
  return judge_use(use);
}

// Targets already examined by one look(), identified by device and inode, not by name.
struct WriteGuard::Work {
  using Target = std::tuple<bool, dev_t, ino_t, bool, bool, bool>;  // block, its number (or device and inode), allowed
  Surroundings around;
  std::set<std::pair<std::string, bool>> wishes;
  std::set<Target> passed;
  std::map<dev_t, std::vector<std::string>> nodes;  // as they were before the device was judged
};

base::Expected<void> WriteGuard::look(std::span<const WriteWish> wishes, placement::Placements& placements) {
  Work work{Surroundings(prefix_), {}, {}, {}};
  mounts_text_ = work.around.mounts_text();
  swaps_text_ = work.around.swaps_text();
  for (const auto& wish : wishes) {
    if (!work.wishes.insert({wish.path, wish.allow_mounted_write}).second) continue;
    if (auto ok = look_at(work, wish, placements.of(wish.path, true)); !ok) return ok;
  }
  return {};
}

base::Expected<void> WriteGuard::look_at(Work& work, const WriteWish& wish, const placement::Placement& target) {
  Surroundings& around = work.around;
  if (target.error == ENOENT || target.error == ENOTDIR) return {};
  if (target.error != 0) return base::system_error(wish.path, target.error);
  const bool block = target.identity.block;
  Permission permission = permission_for(wish.path, allowed_);
  permission.mounted |= wish.allow_mounted_write;
  if (block && !work.nodes.contains(target.node)) work.nodes[target.node] = nodes_of(around.tree(), target.node);
  seen_[wish.path] = {target.identity, permission, block ? work.nodes[target.node] : std::vector<std::string>()};
  if (!block && target.kind != "regular") return {};
  const Work::Target same{block, target.node, target.inode, permission.named, permission.mounted, permission.swap};
  if (!work.passed.insert(same).second) return {};
  ++judged_;
  if (!block) {
    if (const auto unknown = mounts::loops_unknown(); !unknown.empty())
      not_known_.push_back(wish.path + ": " + unknown);
    return judge(file_use(around, target), permission);
  }
  if (auto verdict = may_write_device(around, wish.path, target.node, permission); !verdict) return verdict;
  if (!permission.named && !around.openers_unknown().empty())
    not_known_.push_back(wish.path + ": " + around.openers_unknown());
  return {};
}

// True if the sources of the kernel's use of the device are unchanged.
bool WriteGuard::as_before(Surroundings& around, const Seen& seen, dev_t device) const {
  return around.mounts_text() == mounts_text_ && around.swaps_text() == swaps_text_ &&
         nodes_of(around.tree(), device) == seen.nodes;
}

base::Expected<void> WriteGuard::look_again(const std::string& path, int fd) const {
  const disk::DeviceIdentity now = disk::identity_of(fd);
  const auto at = seen_.find(path);
  const Seen seen = at == seen_.end() ? Seen{} : at->second;  // a path that did not exist was no block device
  if (const auto how = disk::difference(seen.identity, now); !how.empty()) return changed(path, how);
  return now.block ? judge_again(path, now.device, seen) : look_behind(fd);
}

// Commands sent through a character device write to the block device behind it.
base::Expected<void> WriteGuard::look_behind(int fd) const {
  struct stat st {};
  if (::fstat(fd, &st) != 0 || !S_ISCHR(st.st_mode)) return {};
  const std::string block = disk::block_of_generic(st.st_rdev, prefix_);
  const auto device = block.empty() ? std::nullopt : disk::BlockTree(prefix_).device_of(block);
  if (!device) return {};
  const std::string path = "/dev/" + block;
  const auto at = seen_.find(path);
  return judge_again(path, *device, at == seen_.end() ? Seen{} : at->second);
}

base::Expected<void> WriteGuard::judge_again(const std::string& path, dev_t device, const Seen& seen) const {
  Surroundings around(prefix_);
  if (as_before(around, seen, device)) return {};
  ++judged_;
  return judge(kernel_knows(around, path, device), seen.permission);
}

base::Expected<void> guard_write(const std::string& path, const GuardOptions& options) {
  WriteGuard guard(options.allow_destructive);
  const WriteWish wishes[] = {{path, options.allow_mounted_write}};
  placement::Placements placements;
  return guard.look(wishes, placements);
}

}  // namespace fathom::host::guards
