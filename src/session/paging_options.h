// What `fathom paging run` and `fathom paging breakdown` are asked: what paging/ measures (plan.h), what stands beside it, and how the report goes
// out. Whoever reads a command line or a config fills it; plain data.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "job/command.h"
#include "paging/plan.h"
#include "result/finding.h"

namespace fathom::session {

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

}  // namespace fathom::session
