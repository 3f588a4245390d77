// What a job asks for that can be judged only when its targets are known and each has its window. Thread rule: any.
#pragma once
#include <vector>

#include "base/error.h"
#include "run/files/targets.h"

namespace fathom::run::files {

// What is changed without being refused is among the job's notes.
base::Expected<void> check_placed(job::Job& job, const std::vector<PlannedTarget>& targets);

}  // namespace fathom::run::files
