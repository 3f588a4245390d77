// What VFIO_DEVICE_GET_REGION_INFO answers (linux/vfio.h): where a region lies in the device's fd and which parts of it
// may be mapped. Pure: bytes in, values out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::nvme::vfio {

struct Region {
  struct Area {
    std::uint64_t first = 0, end = 0;  // from the region's start; end is one past
  };
  std::uint64_t bytes = 0, fd_offset = 0;
  std::vector<Area> mappable;

  // One past what can be mapped in one piece from `first` on; 0: nothing can.
  std::uint64_t mapped_end(std::uint64_t first) const;
};

// Bytes that do not hold a region: one of no bytes. A capability that does not fit is passed over.
Region parse_region(std::span<const std::byte> answer);

}  // namespace fathom::nvme::vfio
