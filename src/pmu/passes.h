// The exact method if there are too few counters: the workload runs again for every event, and each event has the
// counter alone (pinned, so that another user of it is an error and not a silent share). Pure.
#pragma once
#include <vector>

#include "pmu/events/event.h"

namespace fathom::pmu {

// One entry per pass, in order. Each lane of lane=* has a separate pass; a group is split.
std::vector<events::Event> passes(std::vector<events::Event> events);

}  // namespace fathom::pmu
