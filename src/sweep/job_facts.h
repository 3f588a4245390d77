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
  double laid_out_bytes = 0;      // of files that are read and may not be there yet, at most
  bool paced = false;
  bool process_written = false;  // rate_process, whatever it says
  bool own_seed = true;          // randseed is not given: another may be for each run
  bool simulated = true;         // every job has a scripted device, which draws its latencies as well
};
JobFacts facts_of(const job::JobSet& jobs);
// Of several points: the longest, the most.
JobFacts most_of(const JobFacts& a, const JobFacts& b);

}  // namespace fathom::sweep
