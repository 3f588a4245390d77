// The run itself reports the errors of jobs.
#include "session/jobs/cost.h"

#include <utility>

#include "witness/cost_run.h"

namespace fathom::session::jobs {

std::vector<result::WatcherCost> measure_cost(JobsSession& session, run::RunOptions options) {
  auto plans = witness::for_cost(session.plans, session.command.cost_ns);
  witness::CostRun cost(session.command, plans, session.placements);
  if (!cost.any()) {
    cost.end();
    return cost.costs();
  }
  options.on_status = nullptr;
  options.on_drift = nullptr;
  options.on_error = nullptr;
  options.on_line = nullptr;
  options.on_announcement = nullptr;
  options.logs.bandwidth_log = std::nullopt;
  options.trigger = {};
  options.on_start = [&](const run::WorkerViews& workers) { cost.begin(workers); };
  options.on_end = [&] { cost.end(); };
  options.desk = cost.desk();
  run::run_jobs(plans, session.command.jobs, options);
  if (session.stop.load() != 0) cost.end();
  return cost.costs();
}

void give_cost(const std::vector<result::WatcherCost>& costs, result::Breakdown& split) {
  for (auto& c : split.classes)
    for (const auto& of : costs)
      if (c.watching.by == result::CostBy::nothing && of.watcher == "breakdown" && of.job_number == c.job_number &&
          of.cost.by != result::CostBy::nothing)
        c.watching = of.cost;
}

}  // namespace fathom::session::jobs
