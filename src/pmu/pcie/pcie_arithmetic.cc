// Expected counts: the traffic per command in addition to the payload. Sources: NVM Express Base Specification (64-byte
// commands, 16-byte completions, PRP lists); Serial ATA AHCI 1.3.1 (command header, FIS, PRDT).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pmu/pcie/pcie.h"

namespace fathom::pmu::pcie {
namespace {

constexpr double kSqe = 64, kCqe = 16, kMsix = 4, kDoorbells = 8, kPrpEntry = 8, kPage = 4096;
constexpr double kAhciFetched = 32 + 64, kAhciPrdEntry = 16, kAhciPrdBytes = 65536, kAhciWritten = 77;

// For all commands in one direction, from their mean length.
double prp_list_bytes(double commands, double bytes) {
  if (commands <= 0) return 0;
  const double pages = std::ceil(bytes / commands / kPage);
  return pages > 2 ? commands * (pages - 1) * kPrpEntry : 0;
}

}  // namespace

double percent_off(double counted_bytes, double moved_bytes) {
  return moved_bytes > 0 ? (counted_bytes / moved_bytes - 1) * 100 : 0;
}

CommandOverhead nvme_overhead(std::uint64_t reads, std::uint64_t read_bytes, std::uint64_t writes,
                              std::uint64_t write_bytes) {
  const double n = static_cast<double>(reads) + static_cast<double>(writes);
  const double lists = prp_list_bytes(static_cast<double>(reads), static_cast<double>(read_bytes)) +
                       prp_list_bytes(static_cast<double>(writes), static_cast<double>(write_bytes));
  CommandOverhead overhead;
  overhead.to_memory_bytes = n * (kCqe + kMsix);
  overhead.from_memory_bytes = n * (kSqe + kDoorbells) + lists;
  overhead.how = fmt::format(
      "{:.0f} commands: to memory {:g} CQE + {:g} MSI-X each; from memory {:g} SQE + {:g} doorbells each and {:.0f} of "
      "PRP lists",
      n, kCqe, kMsix, kSqe, kDoorbells, lists);
  return overhead;
}

CommandOverhead ahci_overhead(std::uint64_t commands, std::uint64_t bytes) {
  const double n = static_cast<double>(commands);
  const double entries = std::max(n, static_cast<double>(bytes) / kAhciPrdBytes);
  CommandOverhead overhead;
  overhead.to_memory_bytes = n * kAhciWritten;
  overhead.from_memory_bytes = n * kAhciFetched + entries * kAhciPrdEntry;
  overhead.how = fmt::format(
      "{:.0f} commands: to memory {:g} each (FIS, byte count, interrupt); from memory {:g} each (header, command FIS) "
      "and "
      "{:.0f} PRDT entries of {:g}",
      n, kAhciWritten, kAhciFetched, entries, kAhciPrdEntry);
  return overhead;
}

}  // namespace fathom::pmu::pcie
