// `fathom run --cost`: the jobs run for some seconds only to see what watching them costs: each of the run's watchers is
// switched on and off in drawn slices (cost/cost_driver.h). Which they are: the latency split; of the audit's witnesses
// those for whose counting the counted pay (tracepoints, a PMU's counters), each begun and ended anew; and the looks that
// the others have twice a second, all together. What of them there cannot be says why.
// Thread rule: the main thread; while the jobs run the witnesses are the driver's thread's.
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
  // The plans outlive this, and are as they are run.
  CostRun(const job::Command& command, const std::vector<run::files::Plan>& plans,
          host::placement::Placements& placements);
  split::Desk* desk() { return split_ ? split_->desk() : nullptr; }
  bool any() const;                                // there is something to switch, so that a run is worth its time
  void begin(const run::WorkerViews& workers);     // the files are laid out
  void end();                                      // the last worker has stopped; or nothing was begun
  std::vector<result::WatcherCost> costs() const;  // after end()

 private:
  void add_audit();
  void add_split();

  const job::Command& command_;
  const std::vector<run::files::Plan>& plans_;
  host::placement::Placements& placements_;
  std::unique_ptr<RunSplit> split_;  // none without --breakdown
  std::vector<cost::Watcher> watchers_;
  std::unique_ptr<cost::CostDriver> driver_;
};

// The same jobs for so long, and nothing but their I/O: no ramp, nothing read back, no end by bytes or numbers.
std::vector<run::files::Plan> for_cost(std::vector<run::files::Plan> plans, std::uint64_t each_ns);

}  // namespace fathom::witness
