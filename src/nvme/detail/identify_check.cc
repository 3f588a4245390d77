// Checks identify data.
#include "nvme/detail/identify_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "nvme/detail/device_error.h"
#include "nvme/not_built.h"
#include "nvme/prp.h"
#include "nvme/quirks.h"

namespace fathom::nvme::detail {
namespace {

constexpr std::uint8_t kDiscoveryController = 2, kAdministrativeController = 3;  // CNTRLTYPE
constexpr unsigned kBlockLog2Min = 9, kBlockLog2Max = 16;
constexpr std::uint16_t kOncsDeallocate = 1u << 2, kOncsWriteZeroes = 1u << 3;
constexpr std::uint64_t kShutdownMsMax = 60'000;

constexpr bool offers(std::uint8_t sizes, unsigned log2) { return (sizes & 0xf) <= log2 && log2 <= sizes >> 4; }

}  // namespace

base::Error no_namespace(std::uint32_t nsid, const std::string& device, const std::string& cause) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("{}: namespace {}: does not exist", device, nsid);
  e.cause = cause;
  e.help = "name an active namespace: `fathom nvme identify --device=" + device + "` lists the namespaces";
  return e;
}

base::Expected<void> check_controller(const IdentifyController& id, const std::string& device) {
  if (id.cntrltype == kDiscoveryController) return not_built(NotBuilt::fabrics, device);
  if (id.cntrltype == kAdministrativeController) return not_built(NotBuilt::administrative_controller, device);
  if (!offers(id.sqes, 6))
    return nonsense_error(device, fmt::format("identify: SQES is {:02X}h", id.sqes),
                          "every controller must accept submission queue entries of 64 bytes");
  if (!offers(id.cqes, 4))
    return nonsense_error(device, fmt::format("identify: CQES is {:02X}h", id.cqes),
                          "every controller must offer completion queue entries of 16 bytes");
  return {};
}

base::Expected<void> check_entry_bytes(const IdentifyController& id, std::uint32_t bytes, const std::string& device) {
  const bool known = bytes == 16 || bytes == 32 || bytes == 64;
  if (known && offers(id.cqes, static_cast<unsigned>(std::countr_zero(bytes)))) return {};
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("{}: completion queue entries of {} bytes: not supported", device, bytes);
  e.cause = fmt::format("identify: CQES is {:02X}h: 2^{} to 2^{} bytes", id.cqes, id.cqes & 0xf, id.cqes >> 4);
  e.help = "use entries of 16 bytes; the emulated controller supports up to 64 with cqes=6";
  return e;
}

std::uint32_t transfer_bytes(std::uint8_t mdts, std::uint32_t page_bytes_min) {
  const unsigned log2 = mdts + static_cast<unsigned>(std::countr_zero(page_bytes_min));
  return mdts == 0 || log2 >= 32 ? kTransferBytesMax : std::min(1u << log2, kTransferBytesMax);
}

std::uint64_t shutdown_ms(std::uint32_t rtd3e_us, std::uint32_t ready_ms) {
  return std::min(std::max<std::uint64_t>(rtd3e_us / 1000 + 1, ready_ms), kShutdownMsMax);
}

base::Expected<Namespace> describe_namespace(std::uint32_t nsid, const IdentifyNamespace& ns,
                                             const IdentifyController& id, std::uint32_t quirks,
                                             std::uint32_t transfer_bytes_max, const std::string& device) {
  if (ns.nsze == 0) return no_namespace(nsid, device, "the namespace is not active: its size is 0 blocks");
  const std::string name = fmt::format("{}: namespace {}", device, nsid);
  const unsigned index = format_index(ns);
  if (index >= std::size(ns.lbaf) || index > ns.nlbaf)
    return nonsense_error(name, fmt::format("FLBAS names format {} of {}", index, ns.nlbaf + 1u),
                          "the format in use is not listed");
  const LbaFormat format = ns.lbaf[index];
  if (format.lbads < kBlockLog2Min || format.lbads > kBlockLog2Max || 1u << format.lbads > transfer_bytes_max)
    return nonsense_error(name, fmt::format("LBADS is {}", format.lbads),
                          fmt::format("fathom supports blocks of 512 to {} bytes", transfer_bytes_max));
  if (format.ms != 0) return not_built(NotBuilt::metadata, name);
  if ((ns.dps & 7) != 0) return not_built(NotBuilt::protection_information, name);
  if (ns.nsze > std::numeric_limits<std::uint64_t>::max() >> format.lbads)
    return nonsense_error(name, fmt::format("NSZE is {:X}h", ns.nsze), "the size in bytes exceeds 64 bits");
  Namespace n;
  n.nsid = nsid;
  n.blocks = ns.nsze;
  n.block_bytes = 1u << format.lbads;
  n.deallocates = (id.oncs & kOncsDeallocate) != 0;
  n.writes_zeroes = (id.oncs & kOncsWriteZeroes) != 0 && (quirks & kNoWriteZeroes) == 0;
  n.volatile_cache = (id.vwc & 1) != 0;
  return n;
}

std::uint8_t command_set_of(std::span<const std::byte> descriptors) {
  constexpr std::size_t kHeader = 4;
  constexpr std::byte kTypeCsi{4};
  for (std::size_t at = 0; at + kHeader < descriptors.size();) {
    const auto length = std::to_integer<std::size_t>(descriptors[at + 1]);
    if (length == 0) break;
    if (descriptors[at] == kTypeCsi) return std::to_integer<std::uint8_t>(descriptors[at + kHeader]);
    at += kHeader + length;
  }
  return 0;
}

}  // namespace fathom::nvme::detail
