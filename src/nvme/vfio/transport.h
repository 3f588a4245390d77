// Opens a controller through vfio-pci, on the /sys and /dev of a machine or of a test. Other code calls the function
// in nvme/open.h.
#pragma once
#include <memory>

#include "base/error.h"
#include "nvme/device_address.h"
#include "nvme/pci/sysfs.h"
#include "nvme/transport.h"

namespace fathom::nvme::vfio {

// address.where is a full PCI address. usage: no such device, or not an NVMe controller.
// refused: bound to another driver, busy, or the group is not viable. privilege: no IOMMU, no vfio, or no permission.
// io: VFIO or the device failed.
base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address, const pci::Sysfs& sysfs);

}  // namespace fathom::nvme::vfio
