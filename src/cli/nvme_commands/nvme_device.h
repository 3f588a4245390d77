// The device argument of a subcommand: one name, opened.
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

// --device, or one word instead. ErrorKind::usage: no device, or more than one.
base::Expected<nvme::DeviceAddress> device_address(const Given& given);
base::Expected<OpenDevice> open_device(const Given& given);
// True if the name includes a namespace (0000:04:00.0/1, soft/ns=1); false: it names the controller.
bool names_a_namespace(const Given& given);
// The PCI address for bind and unbind, as /sys writes it.
base::Expected<std::string> pci_address(const Given& given);

}  // namespace fathom::cli::nvme_commands
