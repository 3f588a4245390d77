// --repeat: what a repetition draws. The first is the run that there would be without it, the others have seeds that
// follow from the job's own, so that an interval over repetitions holds the luck of the draw too: the offsets and sizes
// of the job, and what its engine draws. Each is written down in Job::seeds as the options that make it again. Pure, but
// for the seed of a job that wants another one each time.
#pragma once
#include <vector>

#include "run/files/targets.h"

namespace fathom::session::jobs {

// Gives jobs that ask for another seed each run (randrepeat=0) one that is known: of the first repetition.
void fix_seeds(std::vector<run::files::Plan>& plans);
// number: from 0. Jobs that verify keep their seed where what they write may be read by another job or a later run, or
// where they read what another wrote: it is by the seed that they find it.
std::vector<run::files::Plan> repetition(std::vector<run::files::Plan> plans, unsigned number);

}  // namespace fathom::session::jobs
