// The table of quirks, one row per device.
#include "nvme/quirks.h"

namespace fathom::nvme {
namespace {

constexpr QuirkRow kTable[] = {
    {0x106b, 0x2001, kTwoEntries, "Apple MacBook8,1"},
    {0x106b, 0x2005, kWideSubmission, "Apple T2"},
    {0x144d, 0xa821, kDelayBeforeReady | kQueueSizeUnsaid, "Samsung PM1725"},
    {0x144d, 0xa822, kDelayBeforeReady | kQueueSizeUnsaid, "Samsung PM1725a"},
    {0x15b7, 0x2001, kNoWriteZeroes, "SanDisk Skyhawk"},
    {0x1bb1, 0x0100, kDelayBeforeReady, "Seagate Nytro Flash Storage"},
    {0x1c58, 0x0003, kDelayBeforeReady, "HGST Ultrastar"},
    {0x1c58, 0x0023, kDelayBeforeReady, "WDC SN200"},
    {0x1c5f, 0x0540, kDelayBeforeReady, "Memblaze PBlaze4"},
    {0x8086, 0x5845, kNoNamespaceLists | kNoWriteZeroes, "QEMU's controller under Intel's id (before 6.0)"},
    {0x8086, 0xf1a5, kMediumPriority | kNoWriteZeroes, "Intel 600P/P3100"},
};

}  // namespace

std::span<const QuirkRow> quirk_table() { return kTable; }

std::uint32_t quirks_of(std::uint16_t vendor, std::uint16_t device) {
  for (const auto& row : kTable)
    if (row.vendor == vendor && row.device == device) return row.quirks;
  return 0;
}

}  // namespace fathom::nvme
