// The block device behind a character device that passes commands: for an NVMe namespace (/dev/ng0n1) and a SCSI disk
// (/dev/sg0). Commands through the character device write to file systems mounted from the block device. Changes
// nothing. Thread-safe.
#pragma once
#include <sys/types.h>

#include <string>

namespace fathom::host::disk {

// "nvme0n1". Empty: `character` is no such device, or the kernel shows no block device for it. `prefix` precedes /sys,
// for tests.
std::string block_of_generic(dev_t character, const std::string& prefix = "");
// The same by its path: "/dev/nvme0n1".
std::string block_path_of_generic(const std::string& path);

}  // namespace fathom::host::disk
