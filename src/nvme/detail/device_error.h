// Errors of a device that stopped answering, with cause and help, and the check of CSTS that tells them apart.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "nvme/transport.h"

namespace fathom::nvme::detail {

base::Error gone_error(const std::string& device);                       // ENODEV
base::Error fatal_error(const std::string& device, std::uint32_t csts);  // CSTS.CFS; EIO
// A wait exceeded its limit (CAP.TO). action: "the controller did not become ready"; after: "CC.EN was set".
base::Error never_error(const std::string& device, const std::string& action, const std::string& after,
                        std::uint32_t csts, std::uint64_t waited_ms);
// No completion within the timeout; ETIMEDOUT.
base::Error overdue_error(const std::string& device, const std::string& command, std::uint64_t waited_ms);
// A field has a value that no controller may report: "identify: SQES is 00h".
base::Error nonsense_error(const std::string& device, const std::string& what, const std::string& cause);

// The device's state, from one register read. Empty: the device is present and has no fatal status.
std::optional<base::Error> lost(Transport& transport);

}  // namespace fathom::nvme::detail
