// Anonymous memory for a device: huge pages of 2 MiB near it, or ordinary pages if none are free. A huge page is one
// entry in the IOMMU and one in the TLB. Forked children do not get this memory: after a copy on write, one process
// would have a new page while the device keeps using the old one.
#pragma once
#include <cstddef>
#include <string>

#include "base/error.h"

namespace fathom::nvme::vfio {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

struct Pages {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  bool huge = false;
  std::string shortcoming;  // what was requested but is not available, with the help; empty: nothing is missing
};

// bytes is rounded up to huge pages. All pages are present and zeroed. node -1: any.
base::Expected<Pages> take_pages(std::size_t bytes, int node);
void give_back(const Pages& pages);

}  // namespace fathom::nvme::vfio
