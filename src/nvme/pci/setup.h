// What user-space access to a controller needs: an IOMMU, vfio-pci, and huge pages of 2 MiB on the controller's NUMA
// node (Documentation/admin-guide/mm/hugetlbpage.rst).
#pragma once
#include <cstdint>
#include <string>

#include "base/error.h"
#include "nvme/pci/sysfs.h"

namespace fathom::nvme::pci {

struct VfioState {
  bool driver_loaded = false;  // vfio-pci
  bool type1_loaded = false;   // vfio_iommu_type1; the kernel loads it automatically if modules are installed
  unsigned iommu_groups = 0;   // 0: the kernel uses no IOMMU
};
VfioState vfio_state(const Sysfs& sysfs);

struct HugePages {
  std::string file;  // the file with the number
  std::uint64_t before = 0, after = 0, free = 0;
  std::uint64_t wanted = 0;
  std::string shortfall;  // why fewer than `wanted` exist, and the help; empty: none are missing
};
// The current state. node -1: the whole machine.
HugePages huge_pages(const Sysfs& sysfs, int node);
// Sets the number to `wanted` pages of 2 MiB, more or fewer. privilege: not root; usage: no such node; io: no huge
// pages at all.
base::Expected<HugePages> reserve_huge_pages(Sysfs& sysfs, int node, std::uint64_t wanted);

// The command that reserves enough for the pages in use and `bytes` more: "fathom nvme setup --huge=512".
// It asks for twice that or twice the current number, whichever is larger, and for 256 MiB at least.
std::string huge_pages_command(const Sysfs& sysfs, std::uint64_t bytes, int node);

}  // namespace fathom::nvme::pci
