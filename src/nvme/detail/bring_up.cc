// Accesses the registers in the specification's order.
#include "nvme/detail/bring_up.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "nvme/detail/device_error.h"
#include "nvme/not_built.h"
#include "nvme/quirks.h"

namespace fathom::nvme::detail {
namespace {

constexpr std::uint32_t kSubmissionEntryLog2 = 6;
constexpr std::uint32_t kReadyMsLeast = 500;  // CAP.TO counts from one; older controllers report 0
constexpr std::uint32_t kCommandSetNvm = 1u << 0, kCommandSetMany = 1u << 6, kCommandSetNone = 1u << 7;  // CAP.CSS
constexpr std::uint32_t kCssAllSupported = 6, kCssAdminOnly = 7;                                         // CC.CSS
constexpr std::uint32_t kCrto = 0x68;
constexpr std::uint32_t kCrtoMsMost = 60'000;         // CRTO could state nine hours
constexpr std::uint64_t kCrmsWithMedia = 1ull << 59;  // CAP.CRMS: CRTO.CRWMT applies

std::uint32_t queue_entries(const Cap& cap, std::uint32_t quirks) {
  std::uint32_t most = cap.queue_entries_max();
  if (most == 1 && (quirks & kQueueSizeUnsaid) != 0) most = kEntriesUnsaid;
  if ((quirks & kTwoEntries) != 0) most = std::min(most, 2u);
  return std::bit_floor(most);
}

std::uint32_t ready_ms(Transport& transport, const Cap& cap) {
  std::uint32_t ms = std::max(cap.timeout_ms(), kReadyMsLeast);
  if ((cap.raw & kCrmsWithMedia) != 0)
    ms = std::max(ms, std::min((transport.read32(kCrto) & 0xffff) * 500, kCrtoMsMost));
  return ms;
}

std::uint32_t command_set(std::uint32_t offered) {
  if ((offered & kCommandSetNvm) != 0) return 0;
  if ((offered & kCommandSetMany) != 0) return kCssAllSupported;
  return (offered & kCommandSetNone) != 0 ? kCssAdminOnly : 0;
}

enum class Ended { reached, fatal, gone, late };

struct Seen {
  Ended ended;
  std::uint32_t csts;
};

// Waits until CSTS under the mask equals `wanted`. fatal_ends: a fatal status ends the wait. Clear it if such a status
// may be stale.
Seen await(Transport& transport, std::uint32_t mask, std::uint32_t wanted, bool fatal_ends, Wait& wait) {
  for (;;) {
    const bool more = wait.again();
    const std::uint32_t csts = transport.read32(kCsts);
    if (csts == kAllOnes || transport.gone()) return {Ended::gone, csts};
    if (fatal_ends && (csts & kCstsFatal) != 0) return {Ended::fatal, csts};
    if ((csts & mask) == wanted) return {Ended::reached, csts};
    if (!more) return {Ended::late, csts};
  }
}

void pause(Transport& transport, NowNs now_ns, std::uint64_t ms) {
  Wait wait(transport, now_ns, ms);
  while (wait.again()) {
  }
}

base::Expected<void> outcome(const Seen& seen, const std::string& device, const std::string& action,
                             const std::string& after, std::uint64_t waited_ms) {
  switch (seen.ended) {
    case Ended::reached:
      return {};
    case Ended::gone:
      return gone_error(device);
    case Ended::fatal:
      return fatal_error(device, seen.csts);
    case Ended::late:
      break;
  }
  return never_error(device, action, after, seen.csts, waited_ms);
}

}  // namespace

base::Expected<Basics> look(Transport& transport) {
  const auto& identity = transport.identity();
  if (transport.gone() || transport.read32(kCsts) == kAllOnes) return gone_error(identity.name);
  Basics b;
  b.cap.raw = transport.read64(kCap);
  b.quirks = quirks_of(identity.vendor, identity.device);
  if ((b.quirks & kWideSubmission) != 0) return not_built(NotBuilt::wide_submission_entries, identity.name);
  if (b.cap.page_bytes_min() > 4096) return not_built(NotBuilt::large_pages, identity.name);
  b.version = std::max(transport.read32(kVs), version_number(1, 0));
  b.queue_entries_max = queue_entries(b.cap, b.quirks);
  if (b.queue_entries_max < 2)
    return nonsense_error(identity.name, "CAP.MQES is 0", "a queue of one entry can hold no command");
  const std::uint64_t stride = b.cap.doorbell_stride_bytes();
  b.doorbell_queues_max = static_cast<std::uint32_t>((transport.doorbell_bytes() + stride - 4) / (2 * stride));
  if (transport.doorbell_bytes() < 4 || b.doorbell_queues_max < 2)
    return nonsense_error(
        identity.name, fmt::format("CAP.DSTRD is {} bytes between doorbells", stride),
        fmt::format("{} bytes of doorbells are mapped: not enough for an I/O queue pair", transport.doorbell_bytes()));
  b.ready_ms = ready_ms(transport, b.cap);
  b.command_set = command_set(b.cap.command_sets());
  if (b.command_set == kCssAdminOnly) return not_built(NotBuilt::administrative_controller, identity.name);
  b.many_command_sets = (b.cap.command_sets() & kCommandSetMany) != 0;
  return b;
}

base::Expected<void> disable(Transport& transport, const Basics& basics, NowNs now_ns) {
  const std::string& device = transport.identity().name;
  const std::uint32_t cc = transport.read32(kCc);
  const std::uint32_t csts = transport.read32(kCsts);
  if (csts == kAllOnes || transport.gone()) return gone_error(device);
  if ((cc & kCcEnable) != 0) {
    // CC.EN must not be cleared while the controller is becoming ready. A controller that never becomes ready is reset
    // nevertheless.
    if ((csts & (kCstsReady | kCstsFatal)) == 0) {
      Wait ready(transport, now_ns, basics.ready_ms);
      if (await(transport, kCstsReady, kCstsReady, true, ready).ended == Ended::gone) return gone_error(device);
    }
    transport.write32(kCc, cc & ~(kCcEnable | kCcShutdownMask));
    if ((basics.quirks & kDelayBeforeReady) != 0) pause(transport, now_ns, kReadyDelayMs);
  }
  Wait wait(transport, now_ns, basics.ready_ms);
  return outcome(await(transport, kCstsReady, 0, false, wait), device, "the controller did not become disabled",
                 "CC.EN was cleared", basics.ready_ms);
}

base::Expected<void> enable(Transport& transport, const Basics& basics, const AdminRings& rings, std::uint32_t cqes,
                            NowNs now_ns) {
  transport.write32(kAqa, (rings.cq_entries - 1) << 16 | (rings.sq_entries - 1));
  transport.write64(kAsq, rings.sq_iova);
  transport.write64(kAcq, rings.cq_iova);
  // CC.MPS = 0: pages of 4 KiB. CC.AMS = 0: round robin.
  const std::uint32_t cc = basics.command_set << 4 | cc_entry_sizes(kSubmissionEntryLog2, cqes);
  transport.write32(kCc, cc);
  transport.write32(kCc, cc | kCcEnable);
  Wait wait(transport, now_ns, basics.ready_ms);
  return outcome(await(transport, kCstsReady, kCstsReady, true, wait), transport.identity().name,
                 "the controller did not become ready", "CC.EN was set", basics.ready_ms);
}

base::Expected<void> shut_down(Transport& transport, std::uint64_t limit_ms, NowNs now_ns) {
  const std::uint32_t cc = transport.read32(kCc);
  transport.write32(kCc, (cc & ~kCcShutdownMask) | kCcShutdownNormal);
  Wait wait(transport, now_ns, limit_ms);
  return outcome(await(transport, kCstsShutdownMask, kCstsShutdownComplete, true, wait), transport.identity().name,
                 "the controller did not finish its shutdown", "CC.SHN was set", limit_ms);
}

}  // namespace fathom::nvme::detail
