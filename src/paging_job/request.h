// The parsed request of `fathom paging run` and `fathom paging breakdown`. A Request holds what to measure, and what
// the result repeats of the command line. ReportOptions hold the output settings. Plain data, immutable after parsing.
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
  std::uint64_t cost_ns = 0;  // --cost: time for which probe overhead is measured; 0: not measured
  bool device_times = false;  // measured even with --audit=off: a breakdown sets it
  bool map_given = false, set_given = false, stamps_given = false;  // false: fathom chooses the value
  bool quiet = false;                                               // pmbench -q: a parameter that its report repeats
  std::optional<double> shown_shape;      // pmbench -e as the report repeats it, if it differs from the pattern's
  std::vector<result::Finding> findings;  // options that affect the numbers differently than they seem to
};

// Output only: no measurement depends on it.
struct ReportOptions {
  job::Eta eta = job::Eta::automatic;
  std::string output;   // "": standard output
  bool force = false;   // outputs replace files that fathom did not write
  bool strict = false;  // failed checks set the exit status
  bool keep = false;    // store the run in a history
  std::string history;  // its file; empty: the usual one
  std::vector<std::string> formats{"text"};
  std::string xml_file;             // pmbench -f: in addition to the text
  std::string page_file;            // --report: HTML report, in addition to the output
  std::vector<options::Live> live;  // --live: outputs during the run
  std::string import_file;          // --import: file to report instead of a measurement
};

struct Command {
  Request request;
  ReportOptions report;
  bool help = false;
};

}  // namespace fathom::paging_job
