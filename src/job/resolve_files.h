// What the options of job/files.h ask of the rest of a job.
#pragma once
#include "job/draft.h"

namespace fathom::job {

base::Expected<void> resolve_files(Draft& draft, const Assignment& section);

}  // namespace fathom::job
