// The exact way where a counter is too few: the workload is run again for every event, and the event has the counter to
// itself (pinned, so that another user of it is an error and not a silent share). Pure.
#pragma once
#include <vector>

#include "pmu/events/event.h"

namespace fathom::pmu {

// One entry a pass, in order. A lane of lane=* has a pass of its own; a group is taken apart.
std::vector<events::Event> passes(std::vector<events::Event> events);

}  // namespace fathom::pmu
