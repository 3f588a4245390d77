// The rules between the options of logs.
#pragma once
#include "job/draft.h"

namespace fathom::job {

base::Expected<void> resolve_logs(Draft& draft, const Assignment& section);

}  // namespace fathom::job
