// Every event of the counters in a Synopsys DesignWare root port (pcie_bdf_*, dwc_rootport_*), as data: meaning, group,
// width, name in the kernel's driver, and contradictions between the sources.
// Source: events/dwc_pcie.csv and dwc_pcie_groups.csv (the PCIe PMU article's tables; drivers/perf/dwc_pcie_pmu.c).
// Thread-safe.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "pmu/events/sources.h"

namespace fathom::pmu::pcie {

struct DwcEvent {
  bool time_based = false;
  unsigned group = 0, number = 0;  // as the article counts: 0x01 of group 1
  std::string name, note, what;    // "Rx PCIe TLP Data Payload"; `what` is empty for reserved numbers
  std::string counter;             // the article's words: "32-bit Throughput 4-DWORD Counter"
  double unit_bytes = 0;           // of the counter; 0: it does not count bytes
  unsigned eventid = 0, type = 0;  // the kernel driver's terms for the meaning in `what`
  std::string alias;               // its name in sysfs for that; empty: it has no name
  std::string contradiction;       // of this event alone
};

struct DwcGroup {
  bool time_based = false;
  unsigned group = 0;
  std::string title, what, contradiction;
  bool per_lane = false;
  unsigned counter_bits = 64;
};

base::Expected<std::vector<DwcEvent>> parse_dwc_events(std::string_view csv);  // usage: what is wrong, with its line
base::Expected<std::vector<DwcGroup>> parse_dwc_groups(std::string_view csv);
std::span<const DwcEvent> dwc_events();
std::span<const DwcGroup> dwc_groups();
const DwcGroup& group_of(const DwcEvent& event);

// pcie_bdf_*, dwc_rootport_*.
bool is_dwc_pmu(std::string_view pmu);
// Names without the differences between drivers (BAD TLP, bad_tlp): letters and digits in lower case.
std::string letters_of(std::string_view name);
// The meaning of such a PMU's event: by its name, since two states have other numbers in the article than in the
// kernel; otherwise by its terms (eventid=0x201,type=0x1,lane=0x0). nullptr: not in the table.
const DwcEvent* dwc_event_of(const events::NamedEvent& event);
// The term `type` of this PMU's event counters: the kernel's driver has 0 and 1, the article's 1 and 2.
unsigned counter_type_of(const events::Source& source);

}  // namespace fathom::pmu::pcie
