// What the page cache holds of a file or block device. Thread-safe.
// Source: cachestat(2) (Linux 6.5); before it, and on an overlay, mincore(2), which does not tell what is dirty.
#pragma once
#include <cstdint>
#include <optional>

namespace fathom::base::system {

struct CacheContent {
  std::uint64_t cached_bytes = 0;            // whole pages
  std::optional<std::uint64_t> dirty_bytes;  // of these; not known: only how many there are at most
};
// Of bytes [start, start + length). cachestat(2) alone: fewer kernels, any size, no mapping is made. Nothing: it cannot
// be told (the file may not be mapped, is too large to be looked at page by page, or bypasses the page cache: DAX).
std::optional<CacheContent> cache_content(int fd, std::uint64_t start, std::uint64_t length);
std::optional<CacheContent> cachestat_content(int fd, std::uint64_t start, std::uint64_t length);
std::optional<CacheContent> mincore_content(int fd, std::uint64_t start, std::uint64_t length);

}  // namespace fathom::base::system
