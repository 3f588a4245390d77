// Options of `fathom paging` that come to nothing beside others. What is written and not done would stand in the report
// as a condition that was not there; so it is refused.
#pragma once
#include "base/error.h"
#include "cli/paging_options.h"
#include "options/command_line.h"

namespace fathom::cli {

// given: as written; o: what was read from it. ErrorKind::usage.
base::Expected<void> check_conflicts(PagingAction action, const options::Given& given, const PagingOptions& o);

}  // namespace fathom::cli
