// The answer to VFIO_IOMMU_GET_INFO (linux/vfio.h): page sizes, the usable IOVAs, the number of mappings left.
// Pure: bytes in, values out, so that a test needs no IOMMU.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nvme/vfio/iova_allocator.h"

namespace fathom::nvme::vfio {

struct IommuInfo {
  std::uint64_t page_bytes = 4096;  // the smallest page that can be mapped
  std::vector<IovaRange> ranges;
  std::uint32_t mappings_left = UINT32_MAX;
};

// answer: argsz bytes. If the kernel reports no ranges (before 5.4), the range is the 39 bits that every x86 IOMMU
// has, without the addresses of interrupts. A capability that extends beyond the bytes is skipped.
IommuInfo parse_iommu_info(std::span<const std::byte> answer);

}  // namespace fathom::nvme::vfio
