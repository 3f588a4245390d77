// Moves a controller between the kernel's nvme driver and vfio-pci, and reports the changes.
// The caller checks first whether a namespace is in use (mounted, used as swap, ...): Controller::block_devices().
//
// Both functions wait for the kernel: unbinding from nvme flushes the controller and shuts it down.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "nvme/pci/sysfs.h"

namespace fathom::nvme::pci {

struct Binding {
  std::string driver;                // the current driver
  std::vector<std::string> changes;  // "driver: nvme -> vfio-pci"; empty: nothing changed
};

// Binds to vfio-pci. usage: see find_controller().
// privilege: no IOMMU group, vfio-pci is not loaded, or not root.
// refused: the controller has another driver, or the group is not viable. io: the kernel did not bind it.
// After a failure, the controller has its old driver again.
base::Expected<Binding> bind_controller(Sysfs& sysfs, const std::string& address);
// Binds to the kernel's nvme driver. refused: a process has the device open, or it has a third driver.
base::Expected<Binding> unbind_controller(Sysfs& sysfs, const std::string& address);

}  // namespace fathom::nvme::pci
