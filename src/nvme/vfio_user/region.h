// A server's description of a region: its size and its mappable parts (a chain of capabilities, as VFIO's).
// Pure: bytes in, plain data out. Every offset is checked before use, and a circular chain ends.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nvme/vfio_user/protocol.h"

namespace fathom::nvme::vfio_user {

struct RegionLayout {
  std::uint32_t flags = 0;
  std::uint64_t bytes = 0;
  std::uint64_t file_offset = 0;
  std::vector<SparseArea> areas;  // mappable ones; the whole region if it is mappable and has no such capability
};

// The payload of a reply to GET_REGION_INFO. Empty: malformed.
std::optional<RegionLayout> read_region_info(std::span<const std::byte> payload, std::uint32_t index);

// Index of the area that contains `offset`, page-aligned and within the region. Empty: no such area.
std::optional<std::size_t> area_with(const RegionLayout& region, std::uint64_t offset);

}  // namespace fathom::nvme::vfio_user
