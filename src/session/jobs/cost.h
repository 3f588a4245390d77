// --cost: before the requested run, its jobs run for some seconds each while each probe is switched on and off
// (witness/cost_run.h). Those measurements are discarded. The requested run itself has the same probes as without
// --cost. Thread rule: the main thread.
#pragma once
#include <vector>

#include "result/watching_cost.h"
#include "run/runner.h"
#include "session/jobs_session.h"

namespace fathom::session::jobs {

// options: of a run of these jobs; those that only serve a report are ignored.
std::vector<result::WatcherCost> measure_cost(JobsSession& session, run::RunOptions options);

// For a breakdown that could not measure its overhead: copies the result of the cost run.
void give_cost(const std::vector<result::WatcherCost>& costs, result::Breakdown& split);

}  // namespace fathom::session::jobs
