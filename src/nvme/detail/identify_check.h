// Checks the Identify data of a controller and a namespace against what the driver supports.
// Pure functions over the wire structures. The driver does not trust the device, so every field that it uses later is
// checked here.
#pragma once
#include <cstdint>
#include <span>

#include "base/error.h"
#include "nvme/controller.h"
#include "nvme/identify.h"

namespace fathom::nvme::detail {

base::Expected<void> check_controller(const IdentifyController& id, const std::string& device);
// Checks that CQES offers entries of `bytes` bytes (a power of two).
base::Expected<void> check_entry_bytes(const IdentifyController& id, std::uint32_t bytes, const std::string& device);
// MDTS in bytes, kTransferBytesMax (prp.h) at most.
std::uint32_t transfer_bytes(std::uint8_t mdts, std::uint32_t page_bytes_min);
// RTD3E as the longest wait for a shutdown: at least ready_ms, a minute at most.
std::uint64_t shutdown_ms(std::uint32_t rtd3e_us, std::uint32_t ready_ms);

// ErrorKind::usage.
base::Error no_namespace(std::uint32_t nsid, const std::string& device, const std::string& cause);
// A namespace, checked and ready to use. quirks: quirks.h.
base::Expected<Namespace> describe_namespace(std::uint32_t nsid, const IdentifyNamespace& ns,
                                             const IdentifyController& id, std::uint32_t quirks,
                                             std::uint32_t transfer_bytes_max, const std::string& device);
// CSI in a namespace identification descriptor list (figure 273); 0 (NVM): the list has no CSI.
std::uint8_t command_set_of(std::span<const std::byte> descriptors);

}  // namespace fathom::nvme::detail
