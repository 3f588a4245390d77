// Every clock of this machine, what reading it costs and what it can tell apart, which one a run will use and why.
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
  clock::sources::Calibration calibration;  // of the CPU clock; its source is another where that was refused
  clock::Choice choice;                     // of a run that does not ask
  std::vector<clock::sources::SourceMeasure> measures;
  bool calibrated() const { return calibration.source == clock::sources::Source::cpu; }
  bool chosen(const clock::sources::SourceMeasure& m) const { return m.for_runs && m.source == choice.source; }
};

FoundClocks find_clocks();
// What is reported and stored. Pure.
result::ClockSources clock_sources(const FoundClocks& found);

}  // namespace fathom::session::clocks
