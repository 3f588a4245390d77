// The seed of a job's randomness. randrepeat=1 (the default): from randseed= (or a constant) and the job's number, so
// that reruns agree and clones differ. randrepeat=0 without randseed=: from the kernel, new in each run.
#pragma once
#include <cstdint>

#include "job/job.h"

namespace fathom::workload {

std::uint64_t job_seed(const job::Job& job, std::uint32_t job_index);

}  // namespace fathom::workload
