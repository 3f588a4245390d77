// The device that a subcommand was given: one name, opened.
#pragma once
#include <memory>

#include "base/error.h"
#include "cli/subcommand.h"
#include "nvme/controller.h"
#include "nvme/device_address.h"
#include "options/rows.h"

namespace fathom::cli::nvme_commands {

inline constexpr options::Row kDeviceRow =
    options::noted({"device=DEV", "", "soft[:options][/ns=N], a PCI address[/N], or vfio-user:SOCKET[/ns=N]"});

struct OpenDevice {
  nvme::DeviceAddress address;
  std::unique_ptr<nvme::Controller> controller;
};

// --device, or one word in its place. ErrorKind::usage where there is none or more than one.
base::Expected<nvme::DeviceAddress> device_address(const Given& given);
base::Expected<OpenDevice> open_device(const Given& given);
// Whether that name ends in a namespace (0000:04:00.0/1, soft/ns=1), as against naming the controller.
bool names_a_namespace(const Given& given);
// The PCI address that bind and unbind were given, as /sys writes it.
base::Expected<std::string> pci_address(const Given& given);

}  // namespace fathom::cli::nvme_commands
