// What perf shows beside a count: CPUs utilized, events a second of CPU time, GHz, instructions per cycle, misses and
// stalls in per cent. Source: perf-stat(1) and what perf 6.1 prints. Pure.
#pragma once
#include <span>
#include <vector>

#include "session/counters/stat_rows.h"

namespace fathom::session::counters {

// Of rows whose metric is no other (bytes, the share of a window). events: those that StatEvent::parts number. A row's
// partner has the same CPUs, kind of core and modes. window_ns: of the run or the interval, by the wall clock.
void add_metrics(const StatFound& found, std::span<const pmu::events::Event> events, double window_ns,
                 std::vector<result::PmuRow>& rows);

}  // namespace fathom::session::counters
