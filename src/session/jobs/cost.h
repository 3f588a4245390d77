// --cost: before the run that is asked for its jobs run for some seconds each, while each of those who watch is switched
// on and off (witness/cost_run.h). What they measure then is thrown away, and the run itself is watched as it would be.
// Thread rule: the main thread.
#pragma once
#include <vector>

#include "result/watching_cost.h"
#include "run/runner.h"
#include "session/jobs_session.h"

namespace fathom::session::jobs {

// options: of a run of these jobs; what of it is for a report is left out.
std::vector<result::WatcherCost> measure_cost(JobsSession& session, run::RunOptions options);

// Of a split that had no chance to measure itself: what the cost run says.
void give_cost(const std::vector<result::WatcherCost>& costs, result::Breakdown& split);

}  // namespace fathom::session::jobs
