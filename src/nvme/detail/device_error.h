// The errors of a device that stopped answering, with cause and remedy, and the look at CSTS that tells them apart.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "nvme/transport.h"

namespace fathom::nvme::detail {

base::Error gone_error(const std::string& device);                       // ENODEV
base::Error fatal_error(const std::string& device, std::uint32_t csts);  // CSTS.CFS; EIO
// A wait that CAP.TO bounds has passed. action: "the controller did not become ready"; register: "CC.EN was set".
base::Error never_error(const std::string& device, const std::string& action, const std::string& after,
                        std::uint32_t csts, std::uint64_t waited_ms);
// No completion in time; ETIMEDOUT.
base::Error overdue_error(const std::string& device, const std::string& command, std::uint64_t waited_ms);
// A field that no controller may report: "identify: SQES is 00h".
base::Error nonsense_error(const std::string& device, const std::string& what, const std::string& cause);

// The device as one register read shows it; nothing: it is there and has no fatal status.
std::optional<base::Error> lost(Transport& transport);

}  // namespace fathom::nvme::detail
