// Selects the PMU counters for the bytes of a root port, with unit and direction. The table is data
// (events/pcie_bandwidth.csv, embedded); a rule is printed with every number that it produced. Pure, except for what
// EventSources has read. Thread-safe.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/pci/pci_tree.h"
#include "pmu/events/sources.h"

namespace fathom::pmu::pcie {

enum class Direction { to_memory, from_memory };  // a disk's read, a disk's write

// A row of the table. `pmu` is a name pattern: "pcie_bdf_*", with * for hexadecimal digits that identify the port. In
// `event` (an alias of the PMU, or raw terms "event=0x83,umask=0x1") * stands for digits. Rules of one PMU and
// direction are summed.
struct PcieRule {
  std::string pmu, event;
  double unit_bytes = 0;  // 0: the event's own .scale and .unit
  Direction direction = Direction::to_memory;
  std::string scope;  // port, complex (a root complex with several), die, socket
  std::string terms;  // to add; {port_bit} is filled in for one port
  std::string cpus;   // only on these: "GenuineIntel:6:85 AuthenticAMD:25:16-31" (vendor, family, model); empty: all
  unsigned counters = 1;  // counters that count at the same time
  // The number of counters differs between models. The table has "cpuid or 4" if the processor reports it. If the
  // processor does not report it, the table's number is assumed. pcie_pmus() and pcie_pmu_of() have queried the
  // processor.
  enum class CountersFrom { table, cpuid, assumed } counters_from = CountersFrom::table;
  unsigned width_bits = 64;
  bool verified = false;
  std::string remark;
  std::string sentence() const;       // "raw x 16 bytes (pcie_bdf_*: Rx is to memory; not verified)"
  std::string counters_text() const;  // "16 counters (CPUID 0x80000022) of 48 bits", "4 counters (assumed) of 48 bits"
};

// The number of counters of AMD's data fabric, from CPUID 0x80000022 (AMD64 Architecture Programmer's Manual, volume 3,
// E.4.24): EBX bits 15:10 if EAX bit 0 marks the leaf as valid. nullopt: not reported.
std::optional<unsigned> fabric_counters(const clock::sources::Cpuid& cpuid);

std::span<const PcieRule> pcie_rules();
base::Expected<std::vector<PcieRule>> parse_pcie_rules(std::string_view csv);  // usage: what is wrong, with its line

// The port in a PMU's name: pcie_bdf_200 and dwc_rootport_10 belong to 0000:00:02.0.
std::optional<host::pci::PciAddress> named_port(std::string_view pmu);

// The PMU of a port by its name: pcie_bdf_<bus,devfn in hex>, dwc_rootport_<domain<<16|bus<<8|devfn in hex>. hisi_pcie*
// by its `bus` file. nullopt: no PMU here counts this port's bytes. A PMU that counts more than the port (scope
// complex, die, socket) cannot isolate it, and only pcie_pmus() finds it.
struct PciePmu {
  std::string pmu;
  std::string port;             // address; empty: not of a single port
  std::vector<PcieRule> rules;  // rules of this PMU with existing events, read and write
  std::string scope;
};
std::optional<PciePmu> pcie_pmu_of(const host::pci::PciAddress& port, const events::EventSources& sources);
std::vector<PciePmu> pcie_pmus(const events::EventSources& sources);  // every PMU that can count PCIe bandwidth

// The event of a rule, ready to open. Its unit is "bytes", and its scale the bytes per increment: rule.unit_bytes, or
// what the event's own .scale and .unit yield (usage error if that is not a number of bytes: --unit-bytes).
base::Expected<events::Event> event_of(const PcieRule& rule, const PciePmu& pmu, const events::EventSources& sources);

// Counted compared with moved, in percent of moved: +0.007.
double percent_off(double counted_bytes, double moved_bytes);

// Bytes that commands add to the payload on the wire. NVMe: the device fetches SQE 64 and PRP lists (8 per page above
// two), and writes CQE 16 and MSI-X 4; doorbells 8. AHCI: it fetches the command header 32, the command FIS 64 and the
// PRDT (16 per entry, counted as one for 64 KiB), and writes FIS, byte count and interrupt (77, as the article's reads
// showed).
struct CommandOverhead {
  double to_memory_bytes = 0, from_memory_bytes = 0;
  std::string how;
};
CommandOverhead nvme_overhead(std::uint64_t reads, std::uint64_t read_bytes, std::uint64_t writes,
                              std::uint64_t write_bytes);
CommandOverhead ahci_overhead(std::uint64_t commands, std::uint64_t bytes);

}  // namespace fathom::pmu::pcie
