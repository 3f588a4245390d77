// From options to a controller.
#include "cli/nvme_commands/nvme_device.h"

#include "nvme/open.h"

namespace fathom::cli::nvme_commands {

namespace {

std::vector<std::string> names_of(const Given& given) {
  auto names = given.all("device");
  names.insert(names.end(), given.arguments.begin(), given.arguments.end());
  return names;
}

}  // namespace

base::Expected<nvme::DeviceAddress> device_address(const Given& given) {
  const auto names = names_of(given);
  if (names.empty())
    return usage_error("which device?", "",
                       "write `--device=soft` for the emulated controller; `fathom nvme list` shows the real ones");
  if (names.size() > 1) return usage_error("one device at a time: `" + names[1] + "` is the second", "", "");
  return nvme::parse_address(names[0]);
}

bool names_a_namespace(const Given& given) {
  const auto names = names_of(given);
  const auto address = device_address(given);
  if (!address) return false;
  const auto slash = names[0].rfind('/');
  if (slash == std::string::npos) return false;
  return address->kind == nvme::TransportKind::vfio || names[0].compare(slash, 4, "/ns=") == 0;
}

base::Expected<OpenDevice> open_device(const Given& given) {
  auto address = device_address(given);
  if (!address) return address.error();
  auto transport = nvme::open_transport(*address);
  if (!transport) return transport.error();
  auto controller = nvme::Controller::open(std::move(*transport));
  if (!controller) return controller.error();
  return OpenDevice{std::move(*address), std::move(*controller)};
}

base::Expected<std::string> pci_address(const Given& given) {
  const auto address = device_address(given);
  if (!address) return address.error();
  if (address->kind == nvme::TransportKind::vfio) return address->where;
  return usage_error("`" + address->text() + "`: not a PCI address",
                     "only a controller on the PCI bus has a driver in the kernel",
                     "`fathom nvme list` shows the addresses, as 0000:04:00.0");
}

}  // namespace fathom::cli::nvme_commands
