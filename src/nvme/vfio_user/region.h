// What a server says of a region: its size, and which parts of it can be mapped (a chain of capabilities, as VFIO's).
// Pure: bytes in, plain data out; every offset is looked at before it is followed, and a chain that runs in circles
// ends.
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
  std::vector<SparseArea> areas;  // mappable ones; the whole region when it is mappable and no capability says more
};

// The payload of a reply to GET_REGION_INFO. Nothing: malformed.
std::optional<RegionLayout> read_region_info(std::span<const std::byte> payload, std::uint32_t index);

// Index of the area in which `offset` lies, page-aligned and within the region. Nothing: there is none.
std::optional<std::size_t> area_with(const RegionLayout& region, std::uint64_t offset);

}  // namespace fathom::nvme::vfio_user
