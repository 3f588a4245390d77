// What is known of a run before it is made: how long it takes and how much it writes, so that it can be told before a
// sweep starts. Pure.
#pragma once
#include <cstdint>
#include <optional>

#include "job/job.h"

namespace fathom::sweep {

struct JobFacts {
  std::optional<double> seconds;  // at most; none: as long as its sizes take
  bool writes = false;            // or trims
  std::optional<double> bytes;    // written, at most; none: as many as it can in its time
  std::uint64_t streams = 0;      // that each are given a rate: jobs times directions
  bool paced = false, paced_by_poisson = false;
  bool own_seed = true;   // randseed is not given: another may be for each run
  bool simulated = true;  // every job is of the sim engine, whose device draws its latencies as well
};
JobFacts facts_of(const job::JobSet& jobs);

}  // namespace fathom::sweep
