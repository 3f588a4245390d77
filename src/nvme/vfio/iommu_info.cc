// Parses the fixed part first, then the known capabilities. Others are skipped.
#include "nvme/vfio/iommu_info.h"

#include <linux/vfio.h>

#include <bit>
#include <iterator>

#include "nvme/vfio/capability.h"

namespace fathom::nvme::vfio {
namespace {

constexpr IovaRange kOldKernelRanges[] = {{0, 0xfedfffff}, {0xfef00000, (1ull << 39) - 1}};

void read_ranges(std::span<const std::byte> answer, std::size_t at, IommuInfo& info) {
  vfio_iommu_type1_info_cap_iova_range head{};
  if (!read_at(answer, at, head)) return;
  for (std::size_t i = 0; i < head.nr_iovas; ++i) {
    vfio_iova_range range{};
    if (!read_at(answer, at + sizeof head + i * sizeof range, range)) return;
    if (range.start <= range.end) info.ranges.push_back({range.start, range.end});
  }
}

void read_capability(std::span<const std::byte> answer, std::size_t at, std::uint16_t id, IommuInfo& info) {
  if (id == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE) read_ranges(answer, at, info);
  vfio_iommu_type1_info_dma_avail left{};
  if (id == VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL && read_at(answer, at, left)) info.mappings_left = left.avail;
}

}  // namespace

IommuInfo parse_iommu_info(std::span<const std::byte> answer) {
  IommuInfo info;
  vfio_iommu_type1_info fixed{};
  read_at(answer, 0, fixed);
  if ((fixed.flags & VFIO_IOMMU_INFO_PGSIZES) && fixed.iova_pgsizes != 0)
    info.page_bytes = 1ull << std::countr_zero(static_cast<std::uint64_t>(fixed.iova_pgsizes));
  const std::size_t chain = (fixed.flags & VFIO_IOMMU_INFO_CAPS) ? fixed.cap_offset : 0;
  for_each_capability(answer, chain, [&](std::uint16_t id, std::size_t at) { read_capability(answer, at, id, info); });
  if (info.ranges.empty()) info.ranges.assign(std::begin(kOldKernelRanges), std::end(kOldKernelRanges));
  return info;
}

}  // namespace fathom::nvme::vfio
