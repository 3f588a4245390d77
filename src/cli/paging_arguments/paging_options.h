// The command line of `fathom paging run` and `fathom paging breakdown`: long options, a row each, to what paging/ is
// asked (plan.h) and how the report goes out.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "job/command.h"
#include "paging/plan.h"
#include "result/finding.h"

namespace fathom::cli::paging_arguments {

struct PagingOptions {
  paging::Plan plan;
  paging::PressurePlan pressure;
  std::vector<paging::SwapPlan> swaps;  // --swap, in order; a run takes one, breakdown several
  unsigned repeat = 1;
  bool settle = false, audit = true;
  bool device_times = false;  // also with --audit=off: a breakdown
  bool quiet = false, help = false;
  job::Eta eta = job::Eta::automatic;
  std::string output;  // "": standard output
  std::vector<std::string> formats{"text"};
  int schema = 0;        // of JSON; 0: the newest
  std::string xml_file;  // pmbench -f: beside the text
  std::string import_file;
  std::optional<double> shown_shape;                                // pmbench -e, where it is not the pattern's
  bool map_given = false, set_given = false, stamps_given = false;  // what is left out is chosen
  std::vector<result::Finding> findings;  // what of the command line is in the numbers otherwise than it looks
};

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
