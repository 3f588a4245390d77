// Keeps regions as a sorted vector of disjoint ranges.
#include "nvme/soft/memory/regions.h"

#include <algorithm>

namespace fathom::nvme::soft::memory {

std::size_t Regions::after(std::uint64_t iova) const {
  const auto above = std::upper_bound(regions_.begin(), regions_.end(), iova,
                                      [](std::uint64_t v, const Region& r) { return v < r.first; });
  return static_cast<std::size_t>(above - regions_.begin());
}

bool Regions::add(std::uint64_t iova, std::byte* memory, std::uint64_t bytes, Access access) {
  if (bytes == 0 || memory == nullptr || regions_.size() >= kMost) return false;
  const std::uint64_t last = iova + (bytes - 1);
  if (last < iova) return false;
  const std::size_t at = after(iova);
  if (at > 0 && regions_[at - 1].last >= iova) return false;
  if (at < regions_.size() && regions_[at].first <= last) return false;
  regions_.insert(regions_.begin() + static_cast<std::ptrdiff_t>(at), {iova, last, memory, access});
  return true;
}

bool Regions::remove(std::uint64_t iova, std::uint64_t bytes) {
  const std::size_t at = after(iova);
  if (at == 0 || bytes == 0) return false;
  const Region& region = regions_[at - 1];
  if (region.first != iova || region.last - region.first != bytes - 1) return false;
  regions_.erase(regions_.begin() + static_cast<std::ptrdiff_t>(at - 1));
  return true;
}

std::byte* Regions::find(std::uint64_t iova, std::uint64_t bytes, Access access) const {
  if (bytes == 0) return nullptr;
  if (last_hit_ >= regions_.size() || !regions_[last_hit_].holds(iova)) {
    const std::size_t at = after(iova);
    if (at == 0 || !regions_[at - 1].holds(iova)) return nullptr;
    last_hit_ = at - 1;
  }
  const Region& region = regions_[last_hit_];
  if (bytes - 1 > region.last - iova || (access == Access::write && region.access == Access::read)) return nullptr;
  return region.memory + (iova - region.first);
}

}  // namespace fathom::nvme::soft::memory
