// Progress of a paging measurement at an instant, read from outside while it runs: accesses, the CPU time of the
// processes that make them, and the latency histogram of major faults so far. If accesses are not classified, the
// histogram covers all accesses. An access here is what an I/O is in other meters. Each thread reports accesses in
// blocks of 128, and at each slow one. The CPU time excludes work that the kernel does for a fault in another task
// (kswapd, a workqueue). Thread rule: one thread; the records are read while the processes write them.
#pragma once
#include <vector>

#include "paging/touchers.h"
#include "stats/paired_slices.h"
#include "witness/cost/instant.h"

namespace fathom::witness::cost {

class AccessMeter {
 public:
  explicit AccessMeter(paging::Touchers touchers);
  stats::SliceReading read();
  stats::SliceReading operator()() { return read(); }

 private:
  void read_latencies(stats::SliceReading& into) const;

  paging::Touchers touchers_;
  std::vector<CpuTime> cpu_;  // by process
};

}  // namespace fathom::witness::cost
