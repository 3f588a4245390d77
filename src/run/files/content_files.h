// What the contents of a run's jobs need of the world beside a job's text: the files that buffer_pattern= names, and of
// dedupe_global= the other jobs.
#pragma once
#include <vector>

#include "run/files/targets.h"

namespace fathom::run::files {

// Reads the files of a job's pattern. ErrorKind::usage where one cannot be.
base::Expected<void> read_patterns(job::Job& job);
// `plans` are all of the run, in its order.
void share_dedupe_blocks(std::vector<Plan>& plans);

}  // namespace fathom::run::files
