// pmbench's own command line (its long names, its defaults), read into what `fathom paging` understands. Sizes are MiB,
// the duration in seconds stands by itself. What pmbench's code does otherwise than its documents is in docs/paging.md.
#pragma once
#include <span>
#include <string>

#include "base/error.h"
#include "cli/paging_arguments/paging_options.h"

namespace fathom::cli::paging_arguments {

struct PmbenchOptions : PagingOptions {
  bool usage = false, version = false;  // as `help`: what is printed instead of a run
};

// args: without the program's name. ErrorKind::usage, or not_built for -x and -X.
base::Expected<PmbenchOptions> read_pmbench_options(std::span<const std::string> args);
std::string pmbench_usage();  // one line of it

}  // namespace fathom::cli::paging_arguments
