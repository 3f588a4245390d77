// How far a measurement of paging is, at an instant, from outside and while it runs: accesses, the CPU time of the
// processes that make them, and how long major faults took so far: of accesses that are not classified, how long all
// did. An access is here what an I/O is elsewhere. Accesses are told in blocks of 128 a thread, and at each slow one.
// What the kernel does for a fault in another's name (kswapd, a workqueue) is in nobody's CPU time here.
// Thread rule: one thread; the records are read while the processes write them.
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
