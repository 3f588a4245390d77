// What dedupe_mode=working_set asks of the rest of a job.
#pragma once
#include "job/draft.h"

namespace fathom::job {

base::Expected<void> resolve_contents(Draft& draft, const Assignment& section);

}  // namespace fathom::job
