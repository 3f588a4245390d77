// Opening a controller through vfio-pci, on the /sys and /dev of a machine or of a test. nvme/open.h holds the way in
// for everybody else.
#pragma once
#include <memory>

#include "base/error.h"
#include "nvme/device_address.h"
#include "nvme/pci/sysfs.h"
#include "nvme/transport.h"

namespace fathom::nvme::vfio {

// address.where is a full PCI address. usage: no such device, not an NVMe controller; refused: bound to another driver,
// busy, group not viable; privilege: no IOMMU, no vfio, no rights; io: VFIO or the device failed.
base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address, const pci::Sysfs& sysfs);

}  // namespace fathom::nvme::vfio
