// Selects the events that a PCIe counter counts during a run: those of the directions that the job moves, and on
// request those of the link. A row is one number of the report, from one or several events. Reads sysfs only through
// EventSources.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "pmu/pcie/pcie.h"
#include "result/witness.h"

namespace fathom::pmu::pcie {

struct WatchedRow {
  result::Count count;              // source, subject, name, direction, unit, rule, unit_bytes; no numbers yet
  std::vector<std::size_t> events;  // indices of Watch::events, to be summed
};

struct Watch {
  std::vector<events::Event> events;
  std::vector<WatchedRow> rows;
  unsigned counters = 1;             // counters of the PMU that count at the same time
  std::vector<std::string> missing;  // what was requested and has no event here
};

struct WatchOptions {
  bool reads = true, writes = false, link_events = false;
  double unit_bytes = 0;  // 0: the rules'
};

// Errors: as event_of(); privilege: the PMU has no event at all for the request.
base::Expected<Watch> watch(const PciePmu& pmu, const events::EventSources& sources, const WatchOptions& options);

}  // namespace fathom::pmu::pcie
