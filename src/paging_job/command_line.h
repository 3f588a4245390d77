// The command line of `fathom paging run` and `fathom paging breakdown`: parses long options, one per row, into a
// request.
#pragma once
#include <span>
#include <string>

#include "base/error.h"
#include "options/manual.h"
#include "paging_job/request.h"

namespace fathom::paging_job {

// args: without `paging` and the action. ErrorKind::usage with the place in the command line: an unknown option (with
// the nearest one), a value out of range, or options that exclude each other.
base::Expected<Command> parse_command(Action action, std::span<const std::string> args);

const options::Manual& run_manual();
const options::Manual& breakdown_manual();

}  // namespace fathom::paging_job
