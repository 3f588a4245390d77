// First fit over the free ranges, in ascending order of addresses. All ends are inclusive, because a range may end at
// 2^64 - 1.
#include "nvme/vfio/iova_allocator.h"

#include <algorithm>
#include <iterator>

namespace fathom::nvme::vfio {
namespace {

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) & ~(to - 1); }

}  // namespace

IovaAllocator::IovaAllocator(std::span<const IovaRange> ranges, std::uint64_t page_bytes) : page_bytes_(page_bytes) {
  for (const IovaRange& range : ranges) {
    const std::uint64_t first = std::max(range.first, page_bytes);
    if (first > range.last || first > ~std::uint64_t{0} - page_bytes) continue;
    const std::uint64_t whole_first = rounded_up(first, page_bytes);
    const std::uint64_t end = (range.last + 1) & ~(page_bytes - 1);  // 0: the end of the address space
    if (end == 0 || end > whole_first) free_[whole_first] = end - 1;
  }
}

std::optional<std::uint64_t> IovaAllocator::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t wanted = rounded_up(bytes, page_bytes_);
  const std::uint64_t aligned_to = std::max(alignment, page_bytes_);
  if (wanted == 0) return std::nullopt;
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [first, last] = *range;
    const std::uint64_t iova = rounded_up(first, aligned_to);
    if (iova < first || iova > last || last - iova < wanted - 1) continue;
    const std::uint64_t end = iova + (wanted - 1);
    free_.erase(range);
    if (iova > first) free_[first] = iova - 1;
    if (end < last) free_[end + 1] = last;
    used_bytes_ += wanted;
    return iova;
  }
  return std::nullopt;
}

void IovaAllocator::release(std::uint64_t iova, std::uint64_t bytes) {
  std::uint64_t first = iova;
  std::uint64_t last = iova + rounded_up(bytes, page_bytes_) - 1;
  used_bytes_ -= last - first + 1;
  auto after = free_.upper_bound(first);
  if (after != free_.begin() && std::prev(after)->second + 1 == first) {
    first = std::prev(after)->first;
    free_.erase(std::prev(after));
  }
  if (after != free_.end() && last + 1 == after->first) {
    last = after->second;
    free_.erase(after);
  }
  free_[first] = last;
}

}  // namespace fathom::nvme::vfio
