// From a name to a transport: one row a kind.
#pragma once
#include <memory>

#include "base/error.h"
#include "nvme/device_address.h"
#include "nvme/transport.h"

namespace fathom::nvme {

// Opens what the address names; the controller behind it is not touched yet. ErrorKind::usage: no such device, not an
// NVMe device; privilege: no vfio, no rights; refused: busy or bound to another driver.
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
