// pmbench's own command line (its long names, its defaults), read into what `fathom paging` understands. Sizes are MiB,
// the duration in seconds stands by itself. What pmbench's code does otherwise than its documents is in
// docs/migrate-pmbench.md.
#pragma once
#include <span>
#include <string>

#include "base/error.h"
#include "options/manual.h"
#include "paging_job/request.h"

namespace fathom::paging_job {

struct PmbenchCommand : Command {
  bool usage = false, version = false;  // as `help`: what is printed instead of a run
};

// args: without the program's name. ErrorKind::usage, or not_built for -x and -X.
base::Expected<PmbenchCommand> parse_pmbench(std::span<const std::string> args);
const options::Manual& pmbench_manual();
std::string pmbench_usage();  // one line of it

}  // namespace fathom::paging_job
