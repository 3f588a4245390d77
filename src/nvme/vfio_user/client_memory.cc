// A client's regions, checked before they are mapped.
#include "nvme/vfio_user/client_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace fathom::nvme::vfio_user {
namespace {

constexpr std::uint64_t kPage = 4096;

bool well_formed(const DmaMap& r) {
  if (r.argsz < sizeof r || r.flags == 0 || (r.flags & ~(kDmaRead | kDmaWrite)) != 0) return false;
  if (r.bytes == 0 || (r.address | r.bytes | r.offset) % kPage != 0) return false;
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

int ClientMemory::map(const DmaMap& region, int fd) {
  if (!well_formed(region)) return EINVAL;
  if (overlaps(region.address, region.bytes)) return EEXIST;
  if (regions_.size() >= kRegionsMax) return ENOSPC;
  Region ours{.bytes = region.bytes, .mapping = {}};
  if (fd >= 0) {
    const bool writable = (region.flags & kDmaWrite) != 0;
    const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    auto mapping = GuardedMapping::make(fd, region.offset, region.bytes, protection, MAP_SHARED);
    if (!mapping) return mapping.error().sys_errno;
    ours.mapping = std::move(*mapping);
    const auto access = writable ? soft::Access::write : soft::Access::read;
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
  regions_.erase(found);
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

}  // namespace fathom::nvme::vfio_user
