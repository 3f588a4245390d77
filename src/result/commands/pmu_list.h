// Results of `fathom pmu list`: PMUs and their events, the PMUs that measure PCIe bandwidth, root ports, the kernel's
// own events; the matches of a pattern; the path of one device. docs/reference/json.md, "pmu list", explains each key.
// Its JSON names no format and is not read back.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/commands/pmu_stat.h"

namespace fathom::result {

struct PmuSourceEvent {
  std::string name, terms, unit;
  double scale = 1;
};
struct PmuSource {
  std::string name;
  std::optional<std::uint32_t> type;                       // nullopt: it has no readable type
  std::vector<int> cpus;                                   // empty: every CPU
  std::vector<std::pair<std::string, std::string>> terms;  // name, bits: "config1:0-7,32-35"
  std::vector<PmuSourceEvent> events;
};

// How an event becomes bytes.
enum class PcieCountersFrom : std::uint8_t { table, cpuid, assumed };
constexpr const char* name(PcieCountersFrom from) {
  constexpr const char* names[] = {"table", "cpuid", "assumed"};
  return names[static_cast<int>(from)];
}
struct PcieRule {
  std::string event;
  PmuDirection direction = PmuDirection::read;
  double unit_bytes = 0;
  std::string scope, terms, cpus;
  unsigned counters = 1;  // counters that count at the same time
  PcieCountersFrom counters_from = PcieCountersFrom::table;
  unsigned width_bits = 64;
  bool verified = false;
  std::string sentence, counters_words, remark;
};
struct PciePmu {
  std::string pmu, port, scope;
  std::vector<PcieRule> rules;
};

struct ListedFunction {
  std::string address, class_words, driver;
  std::uint32_t class_code = 0;
  std::uint16_t vendor = 0, device = 0;
  std::vector<std::string> block_devices;
};
struct ListedPort {
  std::string address, six_digits;
  bool integrated = false;  // an endpoint without a port above it
  double speed_gts = 0, max_speed_gts = 0;
  int lanes = 0, max_lanes = 0;
  int numa_node = -1;
  std::vector<ListedFunction> behind;
  std::optional<PciePmu> pmu;  // the PMU that counts its bytes
};

struct ListedSystem {  // of tracepoints
  std::string name;    // "block"
  std::vector<std::string> events;
};

// A group of the table of DesignWare counters, and what one event of it counts.
struct DwcGroup {
  bool time_based = false;
  unsigned group = 0;
  std::string title, what, contradiction;
  bool per_lane = false;
  unsigned counter_bits = 64;
};
struct DwcEvent {
  std::size_t of = 0;  // index of its group in PmuMatches::groups
  unsigned number = 0;
  std::string name, note, what, counter, contradiction;
  double unit_bytes = 0;
  unsigned eventid = 0, type = 0;
};

// One event of this machine, or of the data files only (`here` is false).
struct ListedEvent {
  std::string
      name;  // as `-e` takes it: "pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/", "block:block_rq_issue", "page-faults"
  std::string pmu, terms, unit;
  double scale = 1;
  bool here = true;
  std::optional<DwcEvent> dwc;
  std::optional<PcieRule> rule;  // how it counts PCIe bytes
};

// The matches of a pattern.
struct PmuMatches {
  std::vector<PmuSource> sources;
  std::vector<ListedEvent> events;
  std::vector<PcieRule> rules;   // rows of the PCIe table
  std::vector<DwcGroup> groups;  // all groups, in the table's order
  bool nothing() const { return sources.empty() && events.empty() && rules.empty(); }
};

// From a file or device to its root ports, step by step.
struct DevicePath {
  std::string target, cause;
  std::vector<std::string> disks, functions, ports, steps;
};

struct PmuList {
  std::vector<PmuSource> sources;
  std::vector<PciePmu> pcie;
  std::vector<ListedPort> ports;
  std::vector<std::string> software;  // names of the kernel's software events
  std::vector<ListedSystem> systems;
  std::string no_tracepoints;  // why they are missing, and what to do

  bool explain = false;               // -v
  bool of_pattern = false;            // `matches` replaces the whole list
  std::optional<PmuMatches> matches;  // of a pattern; of everything, if everything is explained
  std::optional<DevicePath> device;   // --device
};

}  // namespace fathom::result
