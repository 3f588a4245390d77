// The kernel returns items in a buffer, each after a header. One call returns the items that fit. The next call begins
// after the last item's key.
#include "host/disk/btrfs_chunks.h"

#include <endian.h>
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>

namespace fathom::host::disk {
namespace {

constexpr std::size_t kBuffer = std::size_t{64} << 10;

void add_single(const std::uint8_t* item, std::size_t bytes, std::uint64_t logical, std::vector<BtrfsChunk>& out) {
  btrfs_chunk chunk;
  if (bytes < sizeof chunk) return;
  std::memcpy(&chunk, item, sizeof chunk);
  if ((le64toh(chunk.type) & BTRFS_BLOCK_GROUP_PROFILE_MASK) != 0 || le16toh(chunk.num_stripes) != 1) return;
  out.push_back({logical, le64toh(chunk.length), le64toh(chunk.stripe.offset)});
}

// Reads the items of one call. Returns where the next call begins.
std::uint64_t read_items(const std::uint8_t* at, std::uint32_t items, std::vector<BtrfsChunk>& out) {
  std::uint64_t behind = 0;
  const std::uint8_t* const end = at + kBuffer;
  for (std::uint32_t i = 0; i < items; ++i) {
    btrfs_ioctl_search_header header;
    if (end - at < static_cast<std::ptrdiff_t>(sizeof header)) break;
    std::memcpy(&header, at, sizeof header);
    at += sizeof header;
    if (static_cast<std::uint64_t>(end - at) < header.len) break;
    add_single(at, header.len, header.offset, out);
    at += header.len;
    behind = header.offset + 1;
  }
  return behind;
}

}  // namespace

base::Expected<std::vector<BtrfsChunk>> btrfs_chunks(int fd) {
  const char* const what = "read the chunk layout of a btrfs";
  btrfs_ioctl_fs_info_args info{};
  if (::ioctl(fd, BTRFS_IOC_FS_INFO, &info) != 0) return base::system_error(what, errno);
  if (info.num_devices != 1) return base::system_error(what, ENODEV);
  std::vector<BtrfsChunk> chunks;
  std::vector<std::uint64_t> memory((sizeof(btrfs_ioctl_search_args_v2) + kBuffer) / sizeof(std::uint64_t));
  for (std::uint64_t from = 0;;) {
    auto& args = *new (memory.data()) btrfs_ioctl_search_args_v2{};
    args.buf_size = kBuffer;
    args.key.tree_id = BTRFS_CHUNK_TREE_OBJECTID;
    args.key.min_objectid = args.key.max_objectid = BTRFS_FIRST_CHUNK_TREE_OBJECTID;
    args.key.min_type = args.key.max_type = BTRFS_CHUNK_ITEM_KEY;
    args.key.min_offset = from;
    args.key.max_offset = args.key.max_transid = ~0ull;
    args.key.nr_items = ~0u;
    if (::ioctl(fd, BTRFS_IOC_TREE_SEARCH_V2, &args) != 0) return base::system_error(what, errno);
    if (args.key.nr_items == 0) return chunks;
    const std::uint64_t next = read_items(reinterpret_cast<const std::uint8_t*>(args.buf), args.key.nr_items, chunks);
    if (next <= from) return chunks;
    from = next;
  }
}

std::vector<base::FileExtent> on_device(const base::FileExtent& logical, const std::vector<BtrfsChunk>& chunks) {
  std::vector<base::FileExtent> out;
  const std::uint64_t end = logical.physical + logical.length;
  auto at = std::upper_bound(chunks.begin(), chunks.end(), logical.physical,
                             [](std::uint64_t address, const BtrfsChunk& chunk) { return address < chunk.logical; });
  if (at != chunks.begin()) --at;
  for (; at != chunks.end() && at->logical < end; ++at) {
    const auto& chunk = *at;
    const std::uint64_t from = std::max(logical.physical, chunk.logical),
                        to = std::min(end, chunk.logical + chunk.length);
    if (from >= to) continue;
    out.push_back({logical.offset + (from - logical.physical), to - from, chunk.physical + (from - chunk.logical),
                   logical.flags});
  }
  return out;
}

}  // namespace fathom::host::disk
