// `fathom nvme bind` and `unbind`: move a controller between the kernel's nvme driver and vfio-pci. Before binding, it
// checks whether the kernel uses the controller's namespaces.
#include <fmt/format.h>

#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/nvme_commands/nvme_device.h"
#include "nvme/pci/binding.h"
#include "session/controllers/namespace_use.h"

namespace fathom::cli::nvme_commands {
namespace {

constexpr Manual kBind{
    "fathom nvme bind",
    "BDF",
    "Binds the controller at this PCI address (0000:04:00.0) to vfio-pci. Its block devices disappear until\n"
    "`fathom nvme unbind`. Refused while one of its namespaces is mounted, active swap, or otherwise in use.\n",
    {}};
constexpr Manual kUnbind{
    "fathom nvme unbind", "BDF", "Returns the controller at this PCI address to the kernel's nvme driver.\n", {}};

std::string changes_text(const std::string& address, const nvme::pci::Binding& binding) {
  if (binding.changes.empty()) return fmt::format("{}: unchanged, bound to {}\n", address, binding.driver);
  std::string out;
  for (const auto& change : binding.changes) out += fmt::format("{}: {}\n", address, change);
  return out;
}

base::Expected<std::string> bind(const Given& given) {
  const auto address = pci_address(given);
  if (!address) return address.error();
  const auto bound = session::controllers::bind_unused(*address);
  if (!bound) return bound.error();
  return changes_text(*address, *bound);
}

base::Expected<std::string> unbind(const Given& given) {
  const auto address = pci_address(given);
  if (!address) return address.error();
  nvme::pci::Sysfs sysfs;
  const auto unbound = nvme::pci::unbind_controller(sysfs, *address);
  if (!unbound) return unbound.error();
  return changes_text(*address, *unbound);
}

}  // namespace

const Manual& nvme_bind_manual() { return kBind; }
const Manual& nvme_unbind_manual() { return kUnbind; }

int nvme_bind_command(std::span<const std::string> args) { return with_options(kBind, args, bind); }
int nvme_unbind_command(std::span<const std::string> args) { return with_options(kUnbind, args, unbind); }

}  // namespace fathom::cli::nvme_commands
