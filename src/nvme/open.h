// Opens the transport that a device address names. A table has one row per kind of transport.
// Thread rule: any thread. One Transport must not be shared without a lock (transport.h).
#pragma once
#include <memory>

#include "base/error.h"
#include "nvme/device_address.h"
#include "nvme/transport.h"

namespace fathom::nvme {

// Opens the device that `address` names. It does not change the controller's state yet.
// ErrorKind::usage: no such device or socket, not an NVMe device, invalid soft options, BAR0 that cannot be mapped.
// ErrorKind::privilege: VFIO or an IOMMU is missing, or this user lacks permission.
// ErrorKind::refused: the device is busy, or bound to another driver than vfio-pci.
// ErrorKind::io: a system call failed, or the vfio-user server does not answer or violates the protocol.
base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address);

namespace soft {
base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address);  // nvme/soft/transport.cc
}
namespace vfio {
base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address);  // nvme/vfio/transport.cc
}
namespace vfio_user {
base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address);  // nvme/vfio_user/transport.cc
}

}  // namespace fathom::nvme
