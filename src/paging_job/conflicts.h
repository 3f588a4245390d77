// Options of `fathom paging` that come to nothing beside others. What is written and not done would stand in the report
// as a condition that was not there; so it is refused.
#pragma once
#include "base/error.h"
#include "options/command_line.h"
#include "paging_job/request.h"

namespace fathom::paging_job {

// given: as written; o: what was read from it. ErrorKind::usage.
base::Expected<void> check_conflicts(Action action, const options::Given& given, const Request& o);

}  // namespace fathom::paging_job
