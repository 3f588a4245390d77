// The clock room's pieces, put together for a run and for `fathom doctor`: the cross-core test and its cache, the
// calibration with what earlier runs of this boot found, the look at the sources.
#pragma once
#include "clock/drift.h"
#include "job/command.h"
#include "run/process/clock_choice.h"

namespace fathom::session {

run::process::ClockTools clock_tools(job::ClockCheck check);
// Keeps the drift over a run for this boot; of a short one it would say little, and costs its writing.
void remember_drift(const clock::Drift& drift);

}  // namespace fathom::session
