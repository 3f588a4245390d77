// What a controller and a namespace say of themselves, held against what the driver can live with. Pure functions over
// the wire structures: every field that is used afterwards is judged here, since nothing that a device says may be
// believed.
#pragma once
#include <cstdint>
#include <span>

#include "base/error.h"
#include "nvme/controller.h"
#include "nvme/identify.h"

namespace fathom::nvme::detail {

base::Expected<void> check_controller(const IdentifyController& id, const std::string& device);
// CQES offers entries of so many bytes (a power of two).
base::Expected<void> check_entry_bytes(const IdentifyController& id, std::uint32_t bytes, const std::string& device);
// MDTS in bytes; kTransferBytesMax (prp.h) at most.
std::uint32_t transfer_bytes(std::uint8_t mdts, std::uint32_t page_bytes_min);
// RTD3E as the longest wait for a shutdown, no less than ready_ms, and a minute at most.
std::uint64_t shutdown_ms(std::uint32_t rtd3e_us, std::uint32_t ready_ms);

// ErrorKind::usage.
base::Error no_namespace(std::uint32_t nsid, const std::string& device, const std::string& cause);
// A namespace as it can be used. quirks: quirks.h.
base::Expected<Namespace> describe_namespace(std::uint32_t nsid, const IdentifyNamespace& ns,
                                             const IdentifyController& id, std::uint32_t quirks,
                                             std::uint32_t transfer_bytes_max, const std::string& device);
// CSI of a namespace identification descriptor list (figure 273); 0 (NVM) when it has none.
std::uint8_t command_set_of(std::span<const std::byte> descriptors);

}  // namespace fathom::nvme::detail
