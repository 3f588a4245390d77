// `fathom paging --cost`: memory is touched for some seconds only to see what watching costs the accesses: each of those
// who would watch the measurement is switched on and off in drawn slices (cost_driver.h). Which they are: whoever times
// the requests of a swap device or of the disk under a file, each by itself, attached and detached; and the looks that
// the audit's witness of the block layer has twice a second. What of them there cannot be says why.
// Thread rule: the main thread; while memory is touched the watchers are the driver's thread's.
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
  bool any() const;  // there is something to switch, so that a run is worth its time
  // What is loaded into the kernel is loaded here: a process that was forked after that would hold it attached.
  void begin(const paging::Touchers& touchers);
  void end();
  // After end(), or where nothing was begun. One row a medium, in their order, then that of the looks.
  std::vector<result::WatcherCost> costs() const;

 private:
  std::vector<paging::memory::Medium> media_;
  std::unique_ptr<CostDriver> driver_;
};

}  // namespace fathom::witness::cost
