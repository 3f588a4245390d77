// max_latency=: what ends a job. latency_target= and its window, percentile and run: how deep a queue may be that keeps
// its latency.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

struct MaxLatency : OfJob {
  PerDir<std::uint64_t> ns{};  // 0: no limit
  bool any() const { return ns[0] != 0 || ns[1] != 0 || ns[2] != 0; }
};

struct LatencyTarget : OfJob {
  std::uint64_t target_ns = 0;  // 0: the depth is not searched for
  std::uint64_t window_ns = 0;  // of I/Os that are judged together
  double percentile = 100;      // of them has to keep the target
  bool whole_run = false;       // latency_run: the search goes on until the job ends
};

}  // namespace fathom::job::fields
