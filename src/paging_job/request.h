// What `fathom paging run` and `fathom paging breakdown` are asked: a Request, which is what is measured and what its result repeats of the line, and
// apart from it how the report goes out. Plain data, immutable after parsing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/command.h"
#include "options/live.h"
#include "paging/plan.h"
#include "result/finding.h"

namespace fathom::paging_job {

enum class Action { run, breakdown };

struct Request {
  paging::Plan plan;
  paging::PressurePlan pressure;
  std::vector<paging::SwapPlan> swaps;  // --swap, in order; a run takes one, breakdown several
  unsigned repeat = 1;
  bool settle = false, audit = true;
  std::uint64_t cost_ns = 0;  // --cost: how long it is measured what watching costs; 0: it is not
  bool device_times = false;  // also with --audit=off: a breakdown
  bool map_given = false, set_given = false, stamps_given = false;  // what is left out is chosen
  bool quiet = false;                                               // pmbench -q: a parameter that its report repeats
  std::optional<double> shown_shape;      // pmbench -e as the report repeats it, where it is not the pattern's
  std::vector<result::Finding> findings;  // what of the command line is in the numbers otherwise than it looks
};

// For whoever prints; nothing measured depends on it.
struct ReportOptions {
  job::Eta eta = job::Eta::automatic;
  std::string output;   // "": standard output
  bool force = false;   // outputs replace files that are not ours
  bool strict = false;  // failed checks are an exit status
  std::vector<std::string> formats{"text"};
  std::string xml_file;             // pmbench -f: beside the text
  std::string page_file;            // --report: a page of HTML beside it
  std::vector<options::Live> live;  // what follows it
  std::string import_file;          // what is shown in place of a measurement
};

struct Command {
  Request request;
  ReportOptions report;
  bool help = false;
};

}  // namespace fathom::paging_job
