// Checks job options that need the targets and their windows. Thread rule: any thread.
#pragma once
#include <vector>

#include "base/error.h"
#include "run/files/targets.h"

namespace fathom::run::files {

// A value that the check changes without an error gets an entry in the job's notes.
base::Expected<void> check_placed(job::Job& job, const std::vector<PlannedTarget>& targets);

// Sizes as a number of zones (size=4z), for a zoned device whose zone size the job does not name: replaces them by bytes.
// Errors: no target has zones, or the targets' zones differ.
base::Expected<void> find_zone_sizes(job::Job& job, const std::vector<PlannedTarget>& targets);

// Checks that the targets can do what the job asks for, as far as the engine reports it. Adds notes to the job.
base::Expected<void> check_abilities(job::Job& job, const std::vector<PlannedTarget>& targets);

}  // namespace fathom::run::files
