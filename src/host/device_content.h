// What lies in the partitions of a disk that the kernel holds at this moment, whatever the disk's own first sectors say
// by now: a disk whose table was wiped keeps its partitions until it is read again, and they keep their file systems.
#pragma once
#include <string>
#include <vector>

#include "host/block_tree.h"

namespace fathom::host {

// "sda1 carries ext4 (label \"home\")" for each that is not blank. `fd` is of the disk, open for reading: a partition
// without a node in /dev (containers) is read through it.
std::vector<std::string> partition_contents(const BlockTree& tree, const std::string& disk, int fd);

}  // namespace fathom::host
