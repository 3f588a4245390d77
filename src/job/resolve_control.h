// Limits, waits and rates of a job against each other.
#pragma once
#include "base/error.h"
#include "job/draft.h"

namespace fathom::job {

base::Expected<void> resolve_control(Draft& draft, const Assignment& section);

// wait_for=: which of the jobs before it. They are complete.
base::Expected<void> find_waitee(Draft& draft, const Assignment& section, const std::vector<Job>& before);

// What the jobs that are reported as one have to agree on.
base::Expected<void> check_group(const Draft& draft, const Assignment& section, int group,
                                 const std::vector<Job>& before);

}  // namespace fathom::job
