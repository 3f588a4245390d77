// The block device behind a character device that takes commands for it: of an NVMe namespace (/dev/ng0n1) and of a
// SCSI disk (/dev/sg0). What passes through the one writes to what is mounted from the other. Looks, and changes
// nothing. Thread-safe.
#pragma once
#include <sys/types.h>

#include <string>

namespace fathom::host::disk {

// "nvme0n1"; empty where `character` is no such device or the kernel shows no block device of it. `prefix` stands
// before /sys, for tests.
std::string block_of_generic(dev_t character, const std::string& prefix = "");
// The same by its path: "/dev/nvme0n1".
std::string block_path_of_generic(const std::string& path);

}  // namespace fathom::host::disk
