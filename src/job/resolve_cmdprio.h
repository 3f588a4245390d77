// cmdprio_*: which priorities a job's I/Os may have, numbered, and what excludes what.
#pragma once
#include "job/draft.h"

namespace fathom::job {

base::Expected<void> resolve_cmdprio(Draft& draft, const Assignment& section);

}  // namespace fathom::job
