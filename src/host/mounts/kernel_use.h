// What the kernel uses a block device for: mounts, swap, and devices built on it. A device is one node of a tree: its
// partitions and holders count as it, recursively, since writing to it writes to them. For a partition the disk's own
// direct uses count too (a disk that is in an array as a whole may still show its old partitions), but not its sibling
// partitions.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "host/disk/block_tree.h"
#include "host/mounts/mount_table.h"

namespace fathom::host::mounts {

struct KernelUse {
  std::vector<std::string> mounts;   // "/home", or "/home (sda2)" when the mount is of a device on or under this one
  std::vector<std::string> holders;  // "dm-0 (vg-root)", "md0"
  bool swap = false;
  std::vector<std::string> nodes;  // of the tree, that mounts and swap were looked for on: with the same nodes and the
                                   // same tables the answer is the same
};

// `name` is the kernel's name of the device.
KernelUse kernel_use(const disk::BlockTree& tree, const std::string& name, std::span<const Mount> mounts,
                     std::span<const std::string> swaps);

}  // namespace fathom::host::mounts
