// --repeat: the random seeds of a repetition. The first is the run that would happen without --repeat. The others have
// seeds derived from the job's seed, so that an interval over repetitions includes the effect of the random choices:
// the offsets and sizes of the job, and the random choices of its engine. Job::seeds records each as the options that
// reproduce it. Pure, except for the seed of a job that requests a different one in each run.
#pragma once
#include <vector>

#include "run/files/targets.h"

namespace fathom::session::jobs {

// Sets a known seed for jobs that request a different one in each run (randrepeat=0): that of the first repetition.
void fix_seeds(std::vector<run::files::Plan>& plans);
// number: from 0. A job that verifies keeps its seed if another job or a later run may read its writes, or if it reads
// the writes of another: the reader finds the writes by the seed.
std::vector<run::files::Plan> repetition(std::vector<run::files::Plan> plans, unsigned number);

}  // namespace fathom::session::jobs
