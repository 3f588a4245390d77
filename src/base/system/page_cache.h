// Content of the page cache for a file or block device. Thread-safe. Source: cachestat(2) (Linux 6.5); before it, and
// on an overlay, mincore(2), which does not report dirty pages.
#pragma once
#include <cstdint>
#include <optional>

namespace fathom::base::system {

struct CacheContent {
  std::uint64_t cached_bytes = 0;            // whole pages
  std::optional<std::uint64_t> dirty_bytes;  // of cached_bytes; nullopt: unknown, and cached_bytes is the maximum
};
// For bytes [start, start + length). cachestat(2) alone: fewer kernels, any size, no mapping. nullopt: unknown (the
// file may not be mapped, is too large to check page by page, or bypasses the page cache: DAX).
std::optional<CacheContent> cache_content(int fd, std::uint64_t start, std::uint64_t length);
std::optional<CacheContent> cachestat_content(int fd, std::uint64_t start, std::uint64_t length);
std::optional<CacheContent> mincore_content(int fd, std::uint64_t start, std::uint64_t length);

}  // namespace fathom::base::system
