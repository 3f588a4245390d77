// Controllers that deviate from the specification, in a table with PCI ids as keys.
// The facts are public: operating systems' drivers have workarounds for these devices.
// Thread rule: constants and pure functions; any thread.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace fathom::nvme {

enum Quirk : std::uint32_t {
  // Do not read CSTS for kReadyDelayMs after CC.EN was cleared.
  kDelayBeforeReady = 1u << 0,
  // Identify with CNS 02h and above is unreliable.
  kNoNamespaceLists = 1u << 1,
  kNoWriteZeroes = 1u << 2,  // write zeroes is offered, but slow or wrong
  // I/O queues of urgent priority starve: create them with medium priority.
  kMediumPriority = 1u << 3,
  kWideSubmission = 1u << 4,   // submission entries of 128 bytes
  kTwoEntries = 1u << 5,       // queues of two entries at most
  kQueueSizeUnsaid = 1u << 6,  // CAP.MQES = 0 means 64 entries
};

// Values for kDelayBeforeReady (ms) and kQueueSizeUnsaid (entries).
inline constexpr std::uint32_t kReadyDelayMs = 2300;
inline constexpr std::uint32_t kEntriesUnsaid = 64;

// A controller model: PCI vendor and device id, its Quirk bits, its name.
struct QuirkRow {
  std::uint16_t vendor, device;
  std::uint32_t quirks;
  std::string_view name;
};

std::span<const QuirkRow> quirk_table();
// Quirk bits of a PCI id; 0: no known quirk.
std::uint32_t quirks_of(std::uint16_t vendor, std::uint16_t device);

}  // namespace fathom::nvme
