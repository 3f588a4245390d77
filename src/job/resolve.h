// The end of a section: what depends on several options is decided and checked.
#pragma once
#include "job/command.h"
#include "job/draft.h"

namespace fathom::job {

// `section` is where the job's name stands.
base::Expected<void> resolve(Draft& draft, const Assignment& section, const Environment& env);

}  // namespace fathom::job
