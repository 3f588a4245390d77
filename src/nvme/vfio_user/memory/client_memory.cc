// Checks a client's regions before they are mapped.
#include "nvme/vfio_user/memory/client_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace fathom::nvme::vfio_user::memory {
namespace {

constexpr std::uint64_t kRegionPage = 4096;

bool well_formed(const DmaMap& r) {
  if (r.argsz < sizeof r || r.flags == 0 || (r.flags & ~(kDmaRead | kDmaWrite)) != 0) return false;
  if (r.bytes == 0 || (r.address | r.bytes | r.offset) % kRegionPage != 0) return false;
  return r.address + (r.bytes - 1) >= r.address && r.offset <= INT64_MAX - r.bytes && r.bytes <= INT64_MAX;
}

}  // namespace

bool ClientMemory::overlaps(std::uint64_t address, std::uint64_t bytes) const {
  const auto next = regions_.lower_bound(address);
  if (next != regions_.end() && next->first - address < bytes) return true;
  if (next == regions_.begin()) return false;
  const auto& [before, region] = *std::prev(next);
  return address - before < region.bytes;
}

// The fault unmap_drops_next depends on addresses in the server. A kernel places mappings downwards. A region is thus
// directly below the one mapped before it, and ends where that one begins. Real addresses depend on the machine; these
// simulated ones do not.
std::uint64_t ClientMemory::place_for(std::uint64_t bytes) const {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 47;
  std::map<std::uint64_t, std::uint64_t> taken;  // place and end
  for (const auto& [address, region] : regions_) taken[region.place] = region.place + region.bytes;
  std::uint64_t end = kTop;
  for (auto at = taken.rbegin(); at != taken.rend() && end - at->second < bytes; ++at) end = at->first;
  return end - bytes;
}

bool ClientMemory::drops_next() const { return controller_.options().has_fault(soft::FaultKind::unmap_drops_next); }

void ClientMemory::drop_what_begins_at(std::uint64_t place) {
  for (const auto& [address, region] : regions_)
    if (region.place == place) controller_.drop_queue_at(address);
}

int ClientMemory::map(const DmaMap& region, int fd) {
  if (!well_formed(region)) return EINVAL;
  if (overlaps(region.address, region.bytes)) return EEXIST;
  if (regions_.size() >= kRegionsMax) return ENOSPC;
  Region ours{.bytes = region.bytes, .place = 0, .mapping = {}};
  if (drops_next()) ours.place = place_for(region.bytes);
  if (fd >= 0) {
    const bool writable = (region.flags & kDmaWrite) != 0;
    const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    auto mapping = GuardedMapping::make(fd, region.offset, region.bytes, protection, MAP_SHARED);
    if (!mapping) return mapping.error().sys_errno;
    ours.mapping = std::move(*mapping);
    const auto access = writable ? soft::memory::Access::write : soft::memory::Access::read;
    if (!controller_.map(region.address, {.memory = ours.mapping.memory(), .bytes = region.bytes}, access))
      return ENOSPC;
  }
  regions_.emplace(region.address, std::move(ours));
  return 0;
}

int ClientMemory::unmap(const DmaUnmap& region) {
  if (region.argsz < sizeof region || (region.flags & ~kUnmapAll) != 0) return EINVAL;
  if ((region.flags & kUnmapAll) != 0) {
    if (region.address != 0 || region.bytes != 0) return EINVAL;
    clear();
    return 0;
  }
  const auto found = regions_.find(region.address);
  if (found == regions_.end() || found->second.bytes != region.bytes) return ENOENT;
  if (found->second.mapping.memory() != nullptr) controller_.unmap(region.address, region.bytes);
  const std::uint64_t end = found->second.place + found->second.bytes;
  regions_.erase(found);
  if (drops_next()) drop_what_begins_at(end);
  return 0;
}

void ClientMemory::clear() {
  for (const auto& [address, region] : regions_)
    if (region.mapping.memory() != nullptr) controller_.unmap(address, region.bytes);
  regions_.clear();
}

bool ClientMemory::faulted() {
  const auto faults = GuardedMapping::faults();
  if (faults == faults_seen_) return false;
  const bool ours =
      std::any_of(regions_.begin(), regions_.end(), [](const auto& r) { return r.second.mapping.faulted(); });
  if (!ours) faults_seen_ = faults;
  return ours;
}

}  // namespace fathom::nvme::vfio_user::memory
