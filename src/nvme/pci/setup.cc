// The kernel reports success for a write to nr_hugepages, regardless of how many pages it found. Only reading it again
// shows the number.
#include "nvme/pci/setup.h"

#include <algorithm>

#include "nvme/pci/controllers.h"

namespace fathom::nvme::pci {
namespace {

std::string pool_folder(int node) {
  const std::string above =
      node < 0 ? "/sys/kernel/mm/hugepages" : "/sys/devices/system/node/node" + std::to_string(node) + "/hugepages";
  return above + "/hugepages-2048kB/";
}

base::Error no_pool(const Sysfs& sysfs, int node) {
  if (node >= 0 && !sysfs.exists("/sys/devices/system/node/node" + std::to_string(node)))
    return {.kind = base::ErrorKind::usage,
            .what = "NUMA node " + std::to_string(node) + ": this machine has no such node",
            .cause = "",
            .help = "/sys/devices/system/node/online lists the nodes",
            .place = {}};
  return {.kind = base::ErrorKind::io,
          .what = "no huge pages of 2 MiB on this machine",
          .cause = pool_folder(node) + " does not exist",
          .help = "build the kernel with CONFIG_HUGETLBFS; without huge pages the driver uses ordinary pages",
          .place = {}};
}

}  // namespace

VfioState vfio_state(const Sysfs& sysfs) {
  return {.driver_loaded = sysfs.exists(std::string(kDrivers) + kVfioDriver),
          .type1_loaded = sysfs.exists("/sys/module/vfio_iommu_type1"),
          .iommu_groups = static_cast<unsigned>(sysfs.names("/sys/kernel/iommu_groups").size())};
}

HugePages huge_pages(const Sysfs& sysfs, int node) {
  HugePages pages;
  pages.file = pool_folder(node) + "nr_hugepages";
  pages.before = pages.after = pages.wanted = sysfs.number(pages.file, 0);
  pages.free = sysfs.number(pool_folder(node) + "free_hugepages", 0);
  return pages;
}

base::Expected<HugePages> reserve_huge_pages(Sysfs& sysfs, int node, std::uint64_t wanted) {
  HugePages pages = huge_pages(sysfs, node);
  if (!sysfs.exists(pages.file)) return no_pool(sysfs, node);
  pages.wanted = wanted;
  if (const int error = wanted == pages.before ? 0 : sysfs.write(pages.file, std::to_string(wanted)))
    return write_error("reserving " + std::to_string(wanted) + " huge pages", pages.file, error);
  const HugePages now = huge_pages(sysfs, node);
  pages.after = now.after;
  pages.free = now.free;
  if (pages.after < wanted)
    pages.shortfall =
        std::to_string(wanted - pages.after) + " of " + std::to_string(wanted) +
        " huge pages could not be allocated: memory is full or fragmented. Free memory and try again, or reserve "
        "them at boot with hugepages=" +
        std::to_string(wanted) + " on the kernel's command line";
  return pages;
}

std::string huge_pages_command(const Sysfs& sysfs, std::uint64_t bytes, int node) {
  constexpr std::uint64_t kPage = 2 << 20, kLeastMiB = 256;  // setup's default; the next block may not be the last one
  const HugePages there = huge_pages(sysfs, node);
  const std::uint64_t wanted = (bytes + kPage - 1) / kPage, in_use = there.before - std::min(there.before, there.free);
  return "fathom nvme setup --huge=" +
         std::to_string(std::max(kLeastMiB, 2 * std::max(there.before, in_use + wanted))) +
         (node < 0 ? "" : " --node=" + std::to_string(node));
}

}  // namespace fathom::nvme::pci
