// What verify= asks of the rest of a job.
#pragma once
#include "job/draft.h"

namespace fathom::job {

// Decides the interval of the headers, and refuses what could not be checked. The job's block sizes are resolved.
base::Expected<void> resolve_verify(Draft& draft, const Assignment& section);

}  // namespace fathom::job
