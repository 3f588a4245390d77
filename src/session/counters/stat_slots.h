// `fathom pmu stat --slots`: the estimate for each named event from the slots of a measured interval. Pure.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "pmu/slots/slot_runner.h"
#include "pmu/stat_row.h"

namespace fathom::session::counters {

inline constexpr double kSlotConfidence = 0.99;

// The interval of one row, in the displayed unit.
struct SlotInterval {
  pmu::slots::Estimate estimate;  // total, low and high are multiplied by the event's scale
  bool aliased = false;
  bool whole = false;     // exact: it needs no counter, and was counted for the whole measured interval
  bool withheld = false;  // counting changes the load: the slots are no sample of the measured interval
};

struct SlotReport {
  std::vector<pmu::events::EventCount> counts;  // one per event, `scaled` is the estimate
  std::vector<SlotInterval> intervals;          // one per StatEvent
  std::vector<std::string> notes;
};

SlotReport slot_report(const pmu::slots::SlotRun& run, std::span<const pmu::StatEvent> named,
                       const pmu::slots::SlotRunnerOptions& options);

}  // namespace fathom::session::counters
