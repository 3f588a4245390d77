// The kernel's uses of a block device: mounts, swap, and devices built on it. A device is one node of a tree. Its
// partitions and holders count as part of it, recursively, because writing to it writes to them. For a partition, the
// disk's own direct uses count too (a disk that is in an array as a whole may still show its old partitions), but not
// its sibling partitions.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "host/disk/block_tree.h"
#include "host/mounts/mount_table.h"

namespace fathom::host::mounts {

struct KernelUse {
  std::vector<std::string> mounts;   // "/home", or "/home (sda2)" if a device on or under this one is mounted
  std::vector<std::string> holders;  // "dm-0 (vg-root)", "md0"
  bool swap = false;
  // nodes of the tree that were checked for mounts and swap: with the same nodes and tables the result is the same
  std::vector<std::string> nodes;
};

// `name` is the kernel's name of the device.
KernelUse kernel_use(const disk::BlockTree& tree, const std::string& name, std::span<const Mount> mounts,
                     std::span<const std::string> swaps);

}  // namespace fathom::host::mounts
