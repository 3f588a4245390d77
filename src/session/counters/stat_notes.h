// What a reader of `fathom pmu stat` has to know beside the numbers, from the numbers alone. Pure.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "session/counters/stat_rows.h"

namespace fathom::session::counters {

// Of each row that shared its counter, did not get it, lost its PMU, or filled a small counter to its end. events:
// those that StatEvent::parts number. one_by_one: each counted in a run of its own.
std::vector<std::string> stat_notes(const StatFound& found, std::span<const pmu::events::Event> events,
                                    bool one_by_one);

}  // namespace fathom::session::counters
