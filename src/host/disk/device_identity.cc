// A path is looked up in /sys. A user may be permitted to write to a device but not to read it. Opening a device has
// side effects (a tape, an empty drive). A descriptor is examined directly.
#include "host/disk/device_identity.h"

#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdlib>

#include "host/disk/block_tree.h"

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, __u64)  // Debian 12's headers define it, older ones do not
#endif

namespace fathom::host::disk {
namespace {

std::string number(dev_t device) { return fmt::format("{}:{}", major(device), minor(device)); }

}  // namespace

std::optional<DeviceIdentity> identity_of(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return std::nullopt;
  if (!S_ISBLK(st.st_mode)) return DeviceIdentity{};
  const BlockTree tree;
  const std::string disk = tree.whole_disk(tree.name_of(st.st_rdev));
  return DeviceIdentity{true, st.st_rdev, std::strtoull(tree.attribute(disk, "diskseq").c_str(), nullptr, 10)};
}

DeviceIdentity identity_of(int fd) {
  struct stat st {};
  if (::fstat(fd, &st) != 0 || !S_ISBLK(st.st_mode)) return {};
  DeviceIdentity identity{true, st.st_rdev, 0};
  if (::ioctl(fd, BLKGETDISKSEQ, &identity.disk_sequence) != 0) identity.disk_sequence = 0;
  return identity;
}

std::string difference(const DeviceIdentity& then, const DeviceIdentity& now) {
  if (then.block != now.block)
    return then.block ? "a block device before, not a block device now"
                      : "not a block device before, a block device now";
  if (then.device != now.device)
    return fmt::format("device {} before, {} now", number(then.device), number(now.device));
  const bool known = then.disk_sequence != 0 && now.disk_sequence != 0;
  if (!known || then.disk_sequence == now.disk_sequence) return {};
  return fmt::format("replaced by another disk or medium (disk sequence number {} before, {} now)", then.disk_sequence,
                     now.disk_sequence);
}

}  // namespace fathom::host::disk
