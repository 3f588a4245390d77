// The answer to VFIO_DEVICE_GET_REGION_INFO (linux/vfio.h): a region's offset in the device's fd, and its mappable
// parts. Pure: bytes in, values out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::nvme::vfio {

struct Region {
  struct Area {
    std::uint64_t first = 0, end = 0;  // from the region's start; end is exclusive
  };
  std::uint64_t bytes = 0, fd_offset = 0;
  std::vector<Area> mappable;

  // End (exclusive) of the longest mappable piece that starts at `first`; 0: not mappable.
  std::uint64_t mapped_end(std::uint64_t first) const;
};

// If the bytes contain no region, the result has size 0. A capability that does not fit is skipped.
Region parse_region(std::span<const std::byte> answer);

}  // namespace fathom::nvme::vfio
