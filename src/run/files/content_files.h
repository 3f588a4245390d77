// Inputs for the block contents of a run's jobs that are not in the job's own text: the files that buffer_pattern=
// names, and the other jobs for dedupe_global=.
#pragma once
#include <vector>

#include "run/files/targets.h"

namespace fathom::run::files {

// Reads the files of a job's pattern. ErrorKind::usage if a file cannot be read.
base::Expected<void> read_patterns(job::Job& job);
// plans: all plans of the run, in its order.
void share_dedupe_blocks(std::vector<Plan>& plans);

}  // namespace fathom::run::files
