// `fathom run --cost`: runs the jobs for some seconds only to measure probe overhead. Each probe of the run is switched
// on and off in random slices (cost/cost_driver.h). The probes are: the breakdown; the audit's cross-checks that burden
// the counted tasks (tracepoints, a PMU's counters), each begun and ended again; and the reads of the other
// cross-checks twice per second, all together. A probe that cannot run has a cause. Thread rule: the main thread; while
// the jobs run, the driver's thread owns the cross-checks.
#pragma once
#include <memory>
#include <vector>

#include "host/placement/placement.h"
#include "job/command.h"
#include "result/watching_cost.h"
#include "run/files/targets.h"
#include "run/worker_view.h"
#include "witness/cost/cost_driver.h"
#include "witness/run_split.h"

namespace fathom::witness {

class CostRun {
 public:
  // The plans must outlive this object, and must be those that run.
  CostRun(const job::Command& command, const std::vector<run::files::Plan>& plans,
          host::placement::Placements& placements);
  split::Desk* desk() { return split_ ? split_->desk() : nullptr; }
  bool any() const;                                // a probe can be switched on, so a run is useful
  void begin(const run::WorkerViews& workers);     // call when the files are laid out
  void end();                                      // call when the last worker has stopped, or without begin()
  std::vector<result::WatcherCost> costs() const;  // after end()

 private:
  void add_audit();
  void add_split();

  const job::Command& command_;
  const std::vector<run::files::Plan>& plans_;
  host::placement::Placements& placements_;
  std::unique_ptr<RunSplit> split_;  // null without --breakdown
  std::vector<cost::Watcher> watchers_;
  std::unique_ptr<cost::CostDriver> driver_;
};

// The same jobs with a runtime of each_ns, and only their I/O: no ramp, no verification reads, no limit by bytes or
// number.
std::vector<run::files::Plan> for_cost(std::vector<run::files::Plan> plans, std::uint64_t each_ns);

}  // namespace fathom::witness
