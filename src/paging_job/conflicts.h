// Options of `fathom paging` that have no effect with other options. The report would list such an option as a
// condition of the run, so the command refuses it.
#pragma once
#include "base/error.h"
#include "options/command_line.h"
#include "paging_job/request.h"

namespace fathom::paging_job {

// given: the options as written; o: the request read from them. ErrorKind::usage.
base::Expected<void> check_conflicts(Action action, const options::Given& given, const Request& o);

}  // namespace fathom::paging_job
