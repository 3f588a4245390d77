// Combines parts of the clock module for a run and for `fathom doctor`: the cross-core test and its cache, the
// calibration with results of earlier runs in this boot, and the check of the clock sources.
#pragma once
#include "clock/drift.h"
#include "job/command.h"
#include "run/process/clock_choice.h"

namespace fathom::session {

run::process::ClockTools clock_tools(job::ClockCheck check);
// Stores the drift over a run for this boot. A short run's drift is stored only above clock::kMostDrift_ppm: a smaller
// one has little value, and is not worth the write.
void remember_drift(const clock::Drift& drift);

}  // namespace fathom::session
