// Notes that a reader of `fathom pmu stat` needs besides the numbers, derived only from the numbers. Pure.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "session/counters/stat_rows.h"

namespace fathom::session::counters {

// One note per row that shared its counter, did not get it, lost its PMU, or saturated a small counter. events: those
// that StatEvent::parts index. one_by_one: each event was counted in a separate run.
std::vector<std::string> stat_notes(const StatFound& found, std::span<const pmu::events::Event> events,
                                    bool one_by_one);

}  // namespace fathom::session::counters
