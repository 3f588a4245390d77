// perf's metrics for a count: CPUs utilized, events per second of CPU time, GHz, instructions per cycle, misses and
// stalls in percent. Source: perf-stat(1) and the output of perf 6.1. Pure.
#pragma once
#include <span>
#include <vector>

#include "session/counters/stat_rows.h"

namespace fathom::session::counters {

// For rows without another metric (bytes, the share of the measured interval). events: those that StatEvent::parts
// index. A row's partner has the same CPUs, kind of core and modes. window_ns: wall-clock time of the run or interval.
void add_metrics(const StatFound& found, std::span<const pmu::events::Event> events, double window_ns,
                 std::vector<result::PmuRow>& rows);

}  // namespace fathom::session::counters
