// A region with the sparse-mmap capability (an MSI-X table within the BAR) may be mapped only in its areas. A region
// without it may be mapped only as a whole, if at all.
#include "nvme/vfio/region.h"

#include <linux/vfio.h>

#include <algorithm>

#include "nvme/vfio/capability.h"

namespace fathom::nvme::vfio {

std::uint64_t Region::mapped_end(std::uint64_t first) const {
  for (const Area& area : mappable)
    if (area.first <= first && first < area.end) return area.end;
  return 0;
}

Region parse_region(std::span<const std::byte> answer) {
  vfio_region_info info{};
  if (!read_at(answer, 0, info)) return {};
  Region region{.bytes = info.size, .fd_offset = info.offset, .mappable = {}};
  if (!(info.flags & VFIO_REGION_INFO_FLAG_MMAP)) return region;
  bool sparse = false;
  const std::size_t chain = (info.flags & VFIO_REGION_INFO_FLAG_CAPS) ? info.cap_offset : 0;
  for_each_capability(answer, chain, [&](std::uint16_t id, std::size_t at) {
    vfio_region_info_cap_sparse_mmap head{};
    if (id != VFIO_REGION_INFO_CAP_SPARSE_MMAP || !read_at(answer, at, head)) return;
    sparse = true;
    for (std::size_t i = 0; i < head.nr_areas; ++i) {
      vfio_region_sparse_mmap_area area{};
      if (!read_at(answer, at + sizeof head + i * sizeof area, area)) return;
      const std::uint64_t room = info.size - std::min<std::uint64_t>(info.size, area.offset);
      region.mappable.push_back({area.offset, area.offset + std::min<std::uint64_t>(area.size, room)});
    }
  });
  if (!sparse) region.mappable.push_back({0, info.size});
  return region;
}

}  // namespace fathom::nvme::vfio
