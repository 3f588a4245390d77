// Moves a controller between the kernel's nvme driver and vfio-pci, and says what it changed. Whether a namespace is in
// use (mounted, swapped on ...) is asked before, by the caller: Controller::block_devices().
//
// Both wait for the kernel: unbinding from nvme flushes and shuts the controller down.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "nvme/pci/sysfs.h"

namespace fathom::nvme::pci {

struct Binding {
  std::string driver;                // the one that has it now
  std::vector<std::string> changes;  // "driver: nvme -> vfio-pci"; empty: it was so already
};

// To vfio-pci. usage: see find_controller(); privilege: no IOMMU group, vfio-pci not loaded, not root; refused: another
// driver has it, or the group is not viable; io: the kernel did not take it. After a failure the old driver has it
// again.
base::Expected<Binding> bind_controller(Sysfs& sysfs, const std::string& address);
// Back to the kernel's nvme driver. refused: a process still has it open, or a third driver has it.
base::Expected<Binding> unbind_controller(Sysfs& sysfs, const std::string& address);

}  // namespace fathom::nvme::pci
