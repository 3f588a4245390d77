// The layers below a block device: the members of a dm or md device, the file of a loop device and the disks that hold
// it, the memory of a zram. Follows them to the lowest one, through partitions and file systems. Each call reads sysfs
// and the mount table. `prefix` precedes every path, for tests.
#pragma once
#include <string>
#include <vector>

namespace fathom::host::mounts {

struct StorageLayer {
  std::string upper;               // whole disk: "loop0", "dm-0", "md127", "zram0"
  std::string kind;                // "stack" (dm, md: /sys/block/NAME/slaves), "loop", "zram"
  std::vector<std::string> lower;  // whole disks; empty: none is known
  std::string file;                // of a loop device
  bool cached = false;             // a loop device that reads and writes its file through the page cache
  double sparse_bytes = 0;         // of the file: bytes without allocated blocks, or in blocks that were never written
  std::string memory;              // memory file system that holds the file: "tmpfs"
  std::string cause;               // why there is no lower disk: "in memory (compressed)"
};

// The upper before the lower, each once. A disk without lower layers has no entry.
std::vector<StorageLayer> storage_layers(const std::vector<std::string>& disks, const std::string& prefix = "");

// The disks among them with a file system mounted with `discard`: it discards deleted blocks automatically.
std::vector<std::string> discarding_disks(const std::vector<std::string>& disks, const std::string& prefix = "");

}  // namespace fathom::host::mounts
