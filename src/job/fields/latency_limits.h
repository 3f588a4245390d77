// max_latency=: ends a job. latency_target= and its window, percentile and run: search for the greatest queue depth
// that meets the target.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

struct MaxLatency : OfJob {
  PerDir<std::uint64_t> ns{};  // 0: no limit
  bool any() const { return ns[0] != 0 || ns[1] != 0 || ns[2] != 0; }
};

struct LatencyTarget : OfJob {
  std::uint64_t target_ns = 0;  // 0: no search for the depth
  std::uint64_t window_ns = 0;  // I/Os of this time are judged together
  double percentile = 100;      // this percentage of them must meet the target
  bool whole_run = false;       // latency_run: the search continues until the job ends
};

}  // namespace fathom::job::fields
