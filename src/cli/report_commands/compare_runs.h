// `fathom compare --run A.fio B.fio`: the runs are made here, in turn. Each is an invocation of its own, so that what
// differs from one start to the next is between the runs of a side and not between the sides; in each round every side
// runs once, in drawn order, so that neither the drift of the machine nor anything that follows a fixed order is. Every
// result is kept as a file: the folders are sides of a later comparison.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::cli::report_commands {

struct RunsAsked {
  std::vector<std::string> jobs;  // a job file a side
  std::uint64_t repeat = 5;
  std::string results;               // folder; made here, or empty
  std::vector<std::string> options;  // of `fathom run`, for every run
};
struct RunsMade {
  std::vector<std::string> sides;  // a folder each
  bool interrupted = false;
};
// Errors: usage: a folder with something in it; what a run says that could not begin.
base::Expected<RunsMade> make_runs(const RunsAsked& asked, std::string_view program);

}  // namespace fathom::cli::report_commands
