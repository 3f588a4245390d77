// `fathom clock sources`: every clock of this machine, what reading it costs and what it can tell apart, which one a
// run will use and why.
#pragma once
#include <span>
#include <vector>

#include "clock/sources/calibration.h"
#include "clock/sources/measure_source.h"
#include "clock/verdict.h"
#include "result/commands/clock_sources.h"

namespace fathom::cli::clock_commands {

struct ClockSourcesReport {
  clock::Fitness fitness;
  clock::sources::Calibration calibration;  // of the CPU clock; its source is another where that was refused
  clock::Choice choice;                     // of a run that does not ask
  std::vector<clock::sources::SourceMeasure> measures;
  bool calibrated() const { return calibration.source == clock::sources::Source::cpu; }
  bool chosen(const clock::sources::SourceMeasure& m) const { return m.for_runs && m.source == choice.source; }
};

// What is reported and stored.
result::ClockSources clock_sources(const ClockSourcesReport& report);

int clock_sources_command(std::span<const std::string> args);

}  // namespace fathom::cli::clock_commands
