// Single-event passes: no group, pinned. Source: perf_event_open(2), "pinned".
#include "pmu/passes.h"

namespace fathom::pmu {

std::vector<Event> passes(std::vector<Event> events) {
  for (auto& event : events) {
    event.group = -1;
    event.pinned = true;
  }
  return events;
}

}  // namespace fathom::pmu
