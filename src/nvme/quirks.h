// Controllers that do not do what the specification says, as a table keyed by PCI ids. The facts are public: they are
// what operating systems' drivers had to learn of these devices.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace fathom::nvme {

enum Quirk : std::uint32_t {
  kDelayBeforeReady = 1u << 0,  // CSTS may not be read for a while after CC.EN was cleared
  kNoNamespaceLists = 1u << 1,  // Identify with CNS 02h and above is not to be trusted
  kNoWriteZeroes = 1u << 2,     // offered, but slow or wrong
  kMediumPriority = 1u << 3,    // I/O queues of urgent priority starve: create them with medium
  kWideSubmission = 1u << 4,    // submission entries of 128 bytes
  kTwoEntries = 1u << 5,        // queues of two entries at most
  kQueueSizeUnsaid = 1u << 6,   // CAP.MQES = 0 means 64 entries
};

inline constexpr std::uint32_t kReadyDelayMs = 2300;  // kDelayBeforeReady
inline constexpr std::uint32_t kEntriesUnsaid = 64;   // kQueueSizeUnsaid

struct QuirkRow {
  std::uint16_t vendor, device;
  std::uint32_t quirks;
  std::string_view name;
};

std::span<const QuirkRow> quirk_table();
// 0: none known.
std::uint32_t quirks_of(std::uint16_t vendor, std::uint16_t device);

}  // namespace fathom::nvme
