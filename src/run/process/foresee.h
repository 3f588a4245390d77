// What a run would meet on this machine, looked for without running it: files that are larger than the space that is
// free. Opens no device and changes nothing. Thread rule: any.
#pragma once
#include <vector>

#include "base/error.h"
#include "job/job.h"

namespace fathom::run::process {

// One for each file system that has too little room, placed at the first job that does not fit. What cannot be
// planned here (a missing directory, a file that may not be read) is left to the run.
std::vector<base::Error> foresee(const job::JobSet& jobs);

}  // namespace fathom::run::process
