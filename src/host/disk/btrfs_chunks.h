// Where the logical addresses of a btrfs lie on its device. Problem: FIEMAP tells of a file of btrfs where it lies among
// the file system's own addresses, and those are mapped to devices by chunks of a gigabyte or so. Choice: the chunk tree is
// read as it is (BTRFS_IOC_TREE_SEARCH_V2), for file systems of one device, and chunks that are there once ("single"): then
// an address has one place. Of all others (DUP, RAID) the reader may take one of several, and they are left out.
// Source: btrfs on-disk format (CHUNK_ITEM); linux/btrfs_tree.h. Takes CAP_SYS_ADMIN. Thread-safe.
#pragma once
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/extents.h"

namespace fathom::host::disk {

struct BtrfsChunk {
  std::uint64_t logical = 0, length = 0, physical = 0;  // bytes; physical: on the partition or disk
};

// Of the file system of an open file, rising. An Error holds errno: ENOTTY, it is none; ENODEV: it has several devices.
base::Expected<std::vector<BtrfsChunk>> btrfs_chunks(int fd);

// Bytes [logical, logical + length) of a file at `offset`, in pieces by their place on the device. What lies in no chunk
// that is known has none. chunks: rising.
std::vector<base::FileExtent> on_device(const base::FileExtent& logical, const std::vector<BtrfsChunk>& chunks);

}  // namespace fathom::host::disk
