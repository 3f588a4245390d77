// Maps logical btrfs addresses to the device. Problem: for a file on btrfs, FIEMAP returns the file system's own
// addresses. Chunks of about a gigabyte map those to devices. Choice: read the chunk tree directly
// (BTRFS_IOC_TREE_SEARCH_V2), for file systems of one device and chunks with one copy ("single"): an address then has
// one location. Other chunks (DUP, RAID) are omitted, because a read may use any of several copies. Source: btrfs
// on-disk format (CHUNK_ITEM); linux/btrfs_tree.h. Requires CAP_SYS_ADMIN. Thread-safe.
#pragma once
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/extents.h"

namespace fathom::host::disk {

struct BtrfsChunk {
  std::uint64_t logical = 0, length = 0, physical = 0;  // bytes; physical: on the partition or disk
};

// Chunks of an open file's file system, rising. An Error holds errno: ENOTTY: not a btrfs; ENODEV: several devices.
base::Expected<std::vector<BtrfsChunk>> btrfs_chunks(int fd);

// Splits bytes [logical, logical + length) of a file at `offset` by location on the device. Parts outside the known
// chunks are omitted. chunks: rising.
std::vector<base::FileExtent> on_device(const base::FileExtent& logical, const std::vector<BtrfsChunk>& chunks);

}  // namespace fathom::host::disk
