// `fathom pmu stat --slots`: what the slots of a window say of each thing that was named. Pure.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "pmu/slots/slot_runner.h"
#include "pmu/stat_row.h"

namespace fathom::session::counters {

inline constexpr double kSlotConfidence = 0.99;

// The interval of one row, in the unit that is shown.
struct SlotInterval {
  pmu::slots::Estimate estimate;  // total, low and high times the event's scale
  bool aliased = false;
  bool whole = false;     // it needs no counter and had it for the whole window: exact
  bool withheld = false;  // counting changes the load: what slots saw is no sample of the window
};

struct SlotReport {
  std::vector<pmu::events::EventCount> counts;  // one an event, `scaled` is the estimate
  std::vector<SlotInterval> intervals;          // one a StatEvent
  std::vector<std::string> notes;
};

SlotReport slot_report(const pmu::slots::SlotRun& run, std::span<const pmu::StatEvent> named,
                       const pmu::slots::SlotRunnerOptions& options);

}  // namespace fathom::session::counters
