// The texts of errors. They distinguish a device that is gone from one in a fatal state.
#include "nvme/detail/device_error.h"

#include <fmt/core.h>

#include <cerrno>

#include "nvme/registers.h"

namespace fathom::nvme::detail {
namespace {

base::Error io_error(std::string what, std::string cause, std::string help, int err) {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = std::move(what);
  e.cause = std::move(cause);
  e.help = std::move(help);
  e.sys_errno = err;
  return e;
}

constexpr const char* kResetHelp =
    "reset the device (for PCI: echo 1 > /sys/bus/pci/devices/ADDRESS/reset) or cycle its power, then try again";

}  // namespace

base::Error gone_error(const std::string& device) {
  return io_error(device + ": the device is gone", "its registers read as all ones, or its transport reported removal",
                  "plug the device in again, or restart its server, and open the device again", ENODEV);
}

base::Error fatal_error(const std::string& device, std::uint32_t csts) {
  return io_error(device + ": controller fatal status",
                  fmt::format("CSTS is {:08X}h: CFS is set, no further command completes", csts), kResetHelp, EIO);
}

base::Error never_error(const std::string& device, const std::string& action, const std::string& after,
                        std::uint32_t csts, std::uint64_t waited_ms) {
  return io_error(fmt::format("{}: {}", device, action),
                  fmt::format("CSTS is {:08X}h {} ms after {}, which is the time limit that the controller reports",
                              csts, waited_ms, after),
                  kResetHelp, ETIMEDOUT);
}

base::Error overdue_error(const std::string& device, const std::string& command, std::uint64_t waited_ms) {
  return io_error(fmt::format("{}: {}: no completion in {} ms", device, command, waited_ms),
                  "the controller accepted the command and did not complete it",
                  "reset the controller, or raise the timeout", ETIMEDOUT);
}

base::Error nonsense_error(const std::string& device, const std::string& what, const std::string& cause) {
  return io_error(device + ": " + what, cause, "the device does not follow the specification: update its firmware",
                  EPROTO);
}

std::optional<base::Error> lost(Transport& transport) {
  if (transport.gone()) return gone_error(transport.identity().name);
  const std::uint32_t csts = transport.read32(kCsts);
  if (csts == kAllOnes) return gone_error(transport.identity().name);
  if ((csts & kCstsFatal) != 0) return fatal_error(transport.identity().name, csts);
  return std::nullopt;
}

}  // namespace fathom::nvme::detail
