// `fathom paging --cost`: accesses memory for some seconds only to measure probe overhead. Each probe of the
// measurement is switched on and off in random slices (cost_driver.h). The probes are: the timers for requests of a
// swap device or of the disk under a file, each separately, attached and detached; and the reads of the audit's block
// layer cross-check, twice per second. A probe that cannot run has a cause. Thread rule: the main thread; during the
// accesses the driver's thread owns the probes.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "paging/memory/media.h"
#include "paging/touchers.h"
#include "result/watching_cost.h"
#include "witness/cost/cost_driver.h"

namespace fathom::witness::cost {

class PagingCostRun {
 public:
  explicit PagingCostRun(std::vector<paging::memory::Medium> media) : media_(std::move(media)) {}
  bool any() const;  // a probe can be switched on, so a run is useful
  // Loads the kernel programs. Do not fork later: a process forked afterwards would keep them attached.
  void begin(const paging::Touchers& touchers);
  void end();
  // After end(), or if begin() was not called. One row per medium, in their order, then the row of the periodic reads.
  std::vector<result::WatcherCost> costs() const;

 private:
  std::vector<paging::memory::Medium> media_;
  std::unique_ptr<CostDriver> driver_;
};

}  // namespace fathom::witness::cost
