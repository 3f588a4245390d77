// For a file that the user neither owns nor may write, mincore reports all pages as cached. That is an upper bound.
#include "base/system/page_cache.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace fathom::base::system {
namespace {

constexpr long kCachestat = 451;  // the same number on every architecture

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

bool bypasses_cache(int fd) {
#ifdef STATX_ATTR_DAX
  struct statx found {};
  return ::statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &found) == 0 && (found.stx_attributes & STATX_ATTR_DAX) != 0;
#else
  static_cast<void>(fd);
  return false;
#endif
}

// A file of an overlay never has pages itself: the file of its layer has them. mmap(2) reaches these pages, and
// cachestat(2) does not.
bool on_overlay(int fd) {
  struct statfs found {};
  return ::fstatfs(fd, &found) == 0 && found.f_type == OVERLAYFS_SUPER_MAGIC;
}

}  // namespace

std::optional<CacheContent> cachestat_content(int fd, std::uint64_t start, std::uint64_t length) {
  struct {
    std::uint64_t offset, length;
  } range{start, length};
  struct {
    std::uint64_t cached, dirty, writeback, evicted, recently_evicted;  // pages
  } counts{};
  if (::syscall(kCachestat, fd, &range, &counts, 0u) != 0) return std::nullopt;
  return CacheContent{counts.cached * page_bytes(), counts.dirty * page_bytes()};
}

std::optional<CacheContent> mincore_content(int fd, std::uint64_t start, std::uint64_t length) {
  constexpr std::uint64_t kMost = 64ull << 30, kAtOnce = 256ull << 20;
  if (length > kMost) return std::nullopt;
  const std::uint64_t page = page_bytes(), end = start + length;
  CacheContent content;
  std::vector<unsigned char> held;
  for (std::uint64_t at = start / page * page; at < end; at += kAtOnce) {
    const std::uint64_t bytes = std::min(kAtOnce, end - at);
    void* const map = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(at));
    if (map == MAP_FAILED) return std::nullopt;
    held.resize((bytes + page - 1) / page);
    const bool told = ::mincore(map, bytes, held.data()) == 0;
    ::munmap(map, bytes);
    if (!told) return std::nullopt;
    for (const auto one : held) content.cached_bytes += (one & 1) != 0 ? page : 0;
  }
  return content;
}

std::optional<CacheContent> cache_content(int fd, std::uint64_t start, std::uint64_t length) {
  if (length == 0) return CacheContent{0, 0};
  if (bypasses_cache(fd)) return std::nullopt;
  const auto content = on_overlay(fd) ? std::nullopt : cachestat_content(fd, start, length);
  return content ? content : mincore_content(fd, start, length);
}

}  // namespace fathom::base::system
