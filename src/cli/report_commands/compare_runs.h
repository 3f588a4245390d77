// `fathom compare --run A.fio B.fio`: makes the runs here, in turn. Each run is a separate process, so that differences
// from one start to the next appear between the runs of one side and not between the sides. In each round, every side
// runs once, in random order. Neither the drift of the machine nor an effect of a fixed order therefore differs between
// the sides. Every result is stored in a file, and the directories can be the sides of a later comparison.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::cli::report_commands {

struct RunsAsked {
  std::vector<std::string> jobs;  // one job file per side
  std::uint64_t repeat = 5;
  std::string results;               // directory; created here, or empty
  std::vector<std::string> options;  // of `fathom run`, for every run
};
struct RunsMade {
  std::vector<std::string> sides;  // one directory per side
  bool interrupted = false;
};
// Errors: usage: a directory that is not empty; the error of a run that could not begin.
base::Expected<RunsMade> make_runs(const RunsAsked& asked, std::string_view program);

}  // namespace fathom::cli::report_commands
