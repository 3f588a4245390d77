// Signatures on a device: file systems, RAID, LVM, LUKS, swap and partition tables, found with libblkid's low-level
// probing. Several can be present (an old file system under a new partition table): all are reported.
#pragma once
#include <cstdint>
#include <string>

#include "base/error.h"

namespace fathom::host::disk {

struct Signatures {
  std::string partition_table;  // "gpt", "dos"
  std::string content;          // "ext4", "LVM2_member"; several are joined by ", "
  std::string label;            // of the first content that has one
};

// Reads through fd, which must be open for reading; `path` is for the error text. start and size limit it to a part of
// the device (size 0: to its end). Returns an Error if the device cannot be read.
base::Expected<Signatures> probe_signatures(int fd, const std::string& path, std::uint64_t start_bytes = 0,
                                            std::uint64_t size_bytes = 0);

}  // namespace fathom::host::disk
