// The command line of `fathom paging run` and `fathom paging breakdown`: long options, a row each, to what paging/ is
// asked (plan.h) and how the report goes out.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "paging/plan.h"
#include "session/paging_options.h"

namespace fathom::cli::paging_arguments {

using session::PagingOptions;

enum class PagingAction { run, breakdown };

// args: without `paging` and the action. ErrorKind::usage with the place in the command line: unknown options (with the
// nearest one), values out of range, what does not go together.
base::Expected<PagingOptions> read_paging_options(PagingAction action, std::span<const std::string> args);
std::string paging_help(PagingAction action);

// "zram:2G,file:/a,b:2G" -> "zram:2G", "file:/a,b:2G".
std::vector<std::string> split_swaps(const std::string& text);
// "zram:2G", "file:PATH:2G", "dev:/dev/x", "current", "none".
base::Expected<paging::SwapPlan> read_swap(const std::string& text);

}  // namespace fathom::cli::paging_arguments
