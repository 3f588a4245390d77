// What the kernel uses a controller's namespaces for, asked before the controller is taken from it.
#pragma once
#include <string>

#include "base/error.h"
#include "host/guards/guard.h"
#include "nvme/pci/binding.h"

namespace fathom::session::controllers {

// "mounted on /; gpt partition table", "free", or why it could not be told.
std::string use_text(const base::Expected<host::guards::DeviceUse>& use);

// ErrorKind::refused when the namespace is mounted, swapped on, part of another device or held open: taking its
// controller away would pull the disk from under a file system. What merely lies on it (a partition table, an unmounted
// file system) stays there unharmed.
base::Expected<void> may_be_taken(const std::string& address, const host::guards::DeviceUse& use);

// Gives the controller to vfio-pci, if that is so of all its namespaces.
base::Expected<nvme::pci::Binding> bind_unused(const std::string& address);

}  // namespace fathom::session::controllers
