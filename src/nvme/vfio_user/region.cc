// Parses a region's description, and checks that every part of it is within the reply.
#include "nvme/vfio_user/region.h"

#include <cstring>

namespace fathom::nvme::vfio_user {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr unsigned kCapsMax = 16;

template <class T>
std::optional<T> at(std::span<const std::byte> payload, std::uint64_t offset) {
  if (offset > payload.size() || payload.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, payload.data() + offset, sizeof value);
  return value;
}

bool read_areas(std::span<const std::byte> payload, std::uint64_t offset, std::vector<SparseArea>& areas) {
  const auto sparse = at<SparseMmap>(payload, offset);
  if (!sparse) return false;
  areas.clear();
  for (std::uint32_t i = 0; i < sparse->areas; ++i) {
    const auto area = at<SparseArea>(payload, offset + sizeof(SparseMmap) + i * sizeof(SparseArea));
    if (!area) return false;
    areas.push_back(*area);
  }
  return true;
}

}  // namespace

std::optional<RegionLayout> read_region_info(std::span<const std::byte> payload, std::uint32_t index) {
  const auto info = at<RegionInfo>(payload, 0);
  if (!info || info->index != index) return std::nullopt;
  RegionLayout region{.flags = info->flags, .bytes = info->bytes, .file_offset = info->offset, .areas = {}};
  if ((info->flags & kRegionMmap) == 0) return region;
  region.areas.push_back({.offset = 0, .bytes = info->bytes});
  std::uint64_t offset = (info->flags & kRegionCaps) != 0 ? info->cap_offset : 0;
  for (unsigned i = 0; i < kCapsMax && offset != 0; ++i) {
    const auto cap = at<CapHeader>(payload, offset);
    if (!cap) return std::nullopt;
    if (cap->id == kCapSparseMmap && !read_areas(payload, offset + sizeof(CapHeader), region.areas))
      return std::nullopt;
    offset = cap->next;
  }
  return region;
}

std::optional<std::size_t> area_with(const RegionLayout& region, std::uint64_t offset) {
  for (std::size_t i = 0; i < region.areas.size(); ++i) {
    const auto& area = region.areas[i];
    if (area.offset > region.bytes || area.bytes > region.bytes - area.offset) continue;
    if ((area.offset | area.bytes | region.file_offset) % kPage != 0) continue;
    if (area.offset <= offset && offset - area.offset < area.bytes) return i;
  }
  return std::nullopt;
}

}  // namespace fathom::nvme::vfio_user
