// What VFIO_IOMMU_GET_INFO answers (linux/vfio.h): page sizes, the IOVAs that may be used, how many mappings are left.
// Pure: bytes in, values out, so that a test needs no IOMMU.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nvme/vfio/iova_allocator.h"

namespace fathom::nvme::vfio {

struct IommuInfo {
  std::uint64_t page_bytes = 4096;  // the smallest that can be mapped
  std::vector<IovaRange> ranges;
  std::uint32_t mappings_left = UINT32_MAX;
};

// The answer's bytes, argsz of them. A kernel that reports no ranges (before 5.4) gets the 39 bits that every IOMMU of
// x86 has, without the interrupts' hole. A capability that does not fit into the bytes is passed over.
IommuInfo parse_iommu_info(std::span<const std::byte> answer);

}  // namespace fathom::nvme::vfio
