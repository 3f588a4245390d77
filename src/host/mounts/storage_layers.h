// What lies below a block device: the members of a dm or md device, the file of a loop device and the disks that hold
// it, the memory of a zram. Followed down to the last, through partitions and file systems. Reads sysfs and the mount
// table at each call. `prefix` stands before every path, for tests.
#pragma once
#include <string>
#include <vector>

namespace fathom::host::mounts {

struct StorageLayer {
  std::string upper;               // whole disk: "loop0", "dm-0", "md127", "zram0"
  std::string kind;                // "stack" (dm, md: /sys/block/NAME/slaves), "loop", "zram"
  std::vector<std::string> lower;  // whole disks; empty: it lies on none that is known
  std::string file;                // of a loop device
  bool cached = false;             // a loop device that reads and writes its file through the page cache
  double sparse_bytes = 0;         // of the file, that no block is allocated for, or one that was never written
  std::string memory;              // the file system that holds the file, where it keeps all in memory: "tmpfs"
  std::string cause;               // why there is no lower disk: "in memory (compressed)"
};

// The upper before the lower, each once; nothing for a disk that lies on nothing.
std::vector<StorageLayer> storage_layers(const std::vector<std::string>& disks, const std::string& prefix = "");

// Those of them that have a file system mounted with `discard`: it gives back what is deleted by itself.
std::vector<std::string> discarding_disks(const std::vector<std::string>& disks, const std::string& prefix = "");

}  // namespace fathom::host::mounts
