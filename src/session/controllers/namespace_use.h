// Finds out how the kernel uses a controller's namespaces, before the controller is unbound from it.
#pragma once
#include <string>

#include "base/error.h"
#include "host/guards/guard.h"
#include "nvme/pci/binding.h"

namespace fathom::session::controllers {

// "mounted on /; gpt partition table", "free", or why the use is unknown.
std::string use_text(const base::Expected<host::guards::DeviceUse>& use);

// ErrorKind::refused if the namespace is mounted, used as swap, part of another device, or held open: unbinding its
// controller would remove the disk below a file system. Content that is not in use (a partition table, an unmounted
// file system) remains unharmed.
base::Expected<void> may_be_taken(const std::string& address, const host::guards::DeviceUse& use);

// Binds the controller to vfio-pci, if may_be_taken() allows it for all its namespaces.
base::Expected<nvme::pci::Binding> bind_unused(const std::string& address);

}  // namespace fathom::session::controllers
