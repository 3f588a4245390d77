// Text and verdict for the use of a device, as host/guards found it.
#include "session/controllers/namespace_use.h"

#include "nvme/pci/controllers.h"

namespace fathom::session::controllers {

std::string use_text(const base::Expected<host::guards::DeviceUse>& use) {
  if (!use) return "unknown: " + use.error().what;
  if (!use->in_use()) return "free";
  const std::string all = host::guards::describe(*use);
  const auto colon = all.find("): ");
  return colon == std::string::npos ? all : all.substr(colon + 3);
}

base::Expected<void> may_be_taken(const std::string& address, const host::guards::DeviceUse& use) {
  if (!use.used_now()) return {};
  base::Error e;
  e.kind = base::ErrorKind::refused;
  e.what = address + ": one of its namespaces is in use";
  e.cause = host::guards::describe(use);
  e.help = "unmount the namespace, disable its swap, or stop the devices built on it; then bind again";
  return e;
}

base::Expected<nvme::pci::Binding> bind_unused(const std::string& address) {
  nvme::pci::Sysfs sysfs;
  const auto controller = nvme::pci::find_controller(sysfs, address);
  if (!controller) return controller.error();
  for (const auto& device : controller->block_devices()) {
    const auto use = host::guards::device_use("/dev/" + device);
    if (!use) return use.error();
    if (auto ok = may_be_taken(address, *use); !ok) return ok.error();
  }
  return nvme::pci::bind_controller(sysfs, address);
}

}  // namespace fathom::session::controllers
