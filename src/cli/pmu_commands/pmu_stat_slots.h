// `fathom pmu stat --slots`: its options, and what the slots of a window say of each thing that was named. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/command_line.h"
#include "pmu/slots/slot_runner.h"
#include "pmu/stat_row.h"

namespace fathom::cli::pmu_commands {

inline constexpr double kSlotConfidence = 0.99;

// Nothing: not asked for. ErrorKind::usage: a length or a jitter out of range, one without --slots.
base::Expected<std::optional<pmu::slots::SlotRunnerOptions>> read_slot_options(const options::Given& given);

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

}  // namespace fathom::cli::pmu_commands
