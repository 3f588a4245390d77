// All clocks of this machine with their read cost and resolution, and the clock that a run will use, with the reason.
// `fathom clock sources`.
#pragma once
#include <vector>

#include "clock/sources/calibration.h"
#include "clock/sources/measure_source.h"
#include "clock/verdict.h"
#include "result/commands/clock_sources.h"

namespace fathom::session::clocks {

struct FoundClocks {
  clock::Fitness fitness;
  clock::sources::Calibration calibration;  // of the CPU clock; if that was refused, its source is another
  clock::Choice choice;                     // for a run without a requested clock
  std::vector<clock::sources::SourceMeasure> measures;
  bool calibrated() const { return calibration.source == clock::sources::Source::cpu; }
  bool chosen(const clock::sources::SourceMeasure& m) const { return m.for_runs && m.source == choice.source; }
};

FoundClocks find_clocks();
// Converts to the result that is reported and stored. Pure.
result::ClockSources clock_sources(const FoundClocks& found);

}  // namespace fathom::session::clocks
