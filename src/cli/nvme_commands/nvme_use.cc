// Words and verdict over host/guard's look at a device.
#include "cli/nvme_commands/nvme_use.h"

#include <fmt/format.h>

namespace fathom::cli::nvme_commands {

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
  e.what = address + ": a namespace of it is in use";
  e.cause = host::guards::describe(use);
  e.help = "unmount it, switch its swap off, or stop what is built on it; then bind again";
  return e;
}

}  // namespace fathom::cli::nvme_commands
