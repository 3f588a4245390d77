// What a device's bytes say it carries: file systems, RAID, LVM, LUKS and swap signatures, and partition tables, by
// libblkid's low-level probing. Several can be there at once (an old file system under a new partition table): all are
// reported.
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

// Reads through fd, which must be open for reading; `path` is for the error text. Of a part of the device where start
// and size say so (size 0: to its end). An error when the device cannot be read.
base::Expected<Signatures> probe_signatures(int fd, const std::string& path, std::uint64_t start_bytes = 0,
                                            std::uint64_t size_bytes = 0);

}  // namespace fathom::host::disk
