// Reads pmbench's own command line (its long names, its defaults) into a Command of `fathom paging`. Sizes are in MiB.
// The duration in seconds is an argument without an option. docs/migrate-pmbench.md lists where pmbench's code differs
// from its documents.
#pragma once
#include <span>
#include <string>

#include "base/error.h"
#include "options/manual.h"
#include "paging_job/request.h"

namespace fathom::paging_job {

struct PmbenchCommand : Command {
  bool usage = false, version = false;  // like `help`: printed instead of a run
};

// args: without the program's name. ErrorKind::usage; ErrorKind::not_built for -x and -X.
base::Expected<PmbenchCommand> parse_pmbench(std::span<const std::string> args);
const options::Manual& pmbench_manual();
std::string pmbench_usage();  // one line of usage text

}  // namespace fathom::paging_job
