// Problems that a run would meet on this machine, found without running it: files that are larger than the free space.
// Opens no device and changes nothing. Thread rule: any.
#pragma once
#include <vector>

#include "base/error.h"
#include "job/job.h"

namespace fathom::run::process {

// One error for each file system with too little space, placed at the first job that does not fit. Files that cannot be
// planned here (a missing directory, a file without read permission) are left to the run.
std::vector<base::Error> foresee(const job::JobSet& jobs);

}  // namespace fathom::run::process
