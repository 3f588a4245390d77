// Facts about a run before it starts: how long it takes and how much it writes. They are shown before a sweep starts.
// Pure.
#pragma once
#include <cstdint>
#include <optional>

#include "job/job.h"

namespace fathom::sweep {

struct JobFacts {
  std::optional<double> seconds;  // upper limit; nullopt: the time depends on the sizes
  bool writes = false;            // or trims
  std::optional<double> bytes;    // written, upper limit; nullopt: as many as its time allows
  double laid_out_bytes = 0;      // upper limit; of files that are read and may not exist yet
  bool paced = false;
  bool process_written = false;  // rate_process is given, with any value
  bool own_seed = true;          // randseed is not given: each run may use a different seed
  bool simulated = true;         // every job uses a scripted device, with random latencies as well
};
JobFacts facts_of(const job::JobSet& jobs);
// The larger values of both points; true where one of them has true, but `simulated` and `own_seed` where both have it.
JobFacts most_of(const JobFacts& a, const JobFacts& b);

}  // namespace fathom::sweep
