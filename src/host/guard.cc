// Looking: the kernel's tables say who uses the device, its bytes say what it carries, and an exclusive open (which the
// kernel refuses for a device that a mount, swap, dm or md has claimed) finds what this process cannot see, such as a
// mount in another namespace.
#include "host/guard.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fd.h"
#include "host/block_tree.h"
#include "host/kernel_use.h"
#include "host/mount_table.h"
#include "host/signatures.h"
#include "host/text_file.h"

namespace fathom::host {
namespace {

// The claim lasts for an instant; another program that looks in the same way at the same time must not be taken for a
// user.
bool claimed_exclusively(const std::string& path) {
  constexpr int kTries = 5;
  constexpr useconds_t kPauseUs = 5000;
  for (int i = 0; i < kTries; ++i) {
    const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK));
    if (fd || errno != EBUSY) return false;
    ::usleep(kPauseUs);
  }
  return true;
}

base::Error not_a_block_device(const std::string& path) {
  return {base::ErrorKind::usage,
          path + ": not a block device",
          "",
          "name a device such as /dev/nvme0n1 or /dev/sdb",
          {},
          0};
}

bool same_device(const std::string& path, dev_t device) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == device;
}

// What can be told without opening the device.
DeviceUse kernel_knows(const std::string& path, dev_t device) {
  const BlockTree tree;
  const std::string name = tree.name_of(device);
  const auto mounts = parse_mountinfo(read_text("/proc/self/mountinfo"));
  KernelUse kernel = kernel_use(tree, name, mounts, parse_swaps(read_text("/proc/swaps")));
  DeviceUse use;
  use.device = path;
  use.model = tree.model(name);
  use.size_bytes = tree.size_bytes(name);
  use.mounts = std::move(kernel.mounts);
  use.holders = std::move(kernel.holders);
  use.swap = kernel.swap;
  return use;
}

bool has_known_user(const DeviceUse& use) { return !use.mounts.empty() || use.swap || !use.holders.empty(); }

base::Expected<void> look_inside(DeviceUse& use) {
  const base::UniqueFd fd(::open(use.device.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return base::system_error(use.device + ": cannot open it to see what is on it", errno);
  if (::ioctl(fd.get(), BLKGETSIZE64, &use.size_bytes) != 0) return base::system_error(use.device + ": size", errno);
  if (use.size_bytes > 0) {
    auto found = probe_signatures(fd.get(), use.device);
    if (!found) return found.error();
    use.partition_table = std::move(found->partition_table);
    use.content = std::move(found->content);
    use.label = std::move(found->label);
  }
  use.busy = !has_known_user(use) && claimed_exclusively(use.device);
  return {};
}

}  // namespace

base::Expected<DeviceUse> device_use(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return base::system_error(path, errno);
  if (!S_ISBLK(st.st_mode)) return not_a_block_device(path);
  DeviceUse use = kernel_knows(path, st.st_rdev);
  const auto looked = look_inside(use);
  if (!looked) return looked.error();
  return use;
}

base::Expected<void> guard_use(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return base::system_error(path, errno);
  if (!S_ISBLK(st.st_mode)) return not_a_block_device(path);
  DeviceUse use = kernel_knows(path, st.st_rdev);
  use.busy = !has_known_user(use) && claimed_exclusively(path);
  return judge_use(use);
}

base::Expected<void> guard_write(const std::string& path, const GuardOptions& options) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) {
    if (errno == ENOENT) return {};
    return base::system_error(path, errno);
  }
  if (!S_ISBLK(st.st_mode)) return {};
  const auto& allowed = options.allow_destructive;
  const auto names_it = [&](const std::string& p) { return same_device(p, st.st_rdev); };
  if (std::any_of(allowed.begin(), allowed.end(), names_it)) return {};
  DeviceUse use = kernel_knows(path, st.st_rdev);
  const auto looked = look_inside(use);
  const auto verdict = judge(use, options, false);
  // A known use is the better answer than "permission denied"; without one, not having looked is no permission to
  // write.
  return verdict.ok() && !looked.ok() ? looked : verdict;
}

}  // namespace fathom::host
