// Anonymous memory for a device: huge pages of 2 MiB near it, and ordinary ones where there are none. A huge page is
// one entry in the IOMMU and one in the TLB. Children of a fork do not get it: a page that is copied on write would
// stay with the child while the device goes on with the old one.
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
  std::string shortcoming;  // what was asked for and not had, with the remedy; empty: all was had
};

// bytes is rounded up to huge pages; all pages are there and zero. node -1: anywhere.
base::Expected<Pages> take_pages(std::size_t bytes, int node);
void give_back(const Pages& pages);

}  // namespace fathom::nvme::vfio
