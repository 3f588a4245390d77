// --debug=: lines in fio's format, which scripts parse: a category, a process, and a text. Pure, except for the seed of
// a job that requests a different one in each run: it is drawn here, so that the run uses the seed that is shown.
#pragma once
#include <string>

#include "job/command.h"

namespace fathom::session::jobs {

// True: the category is requested, or all are.
bool debugs(const job::Command& command, const char* category);

struct DebugLines {
  std::string choice;  // "fio: set debug option random" per category; fio prints it before it opens --output
  std::string facts;   // known before the jobs run
};
DebugLines debug_lines(job::Command& command, bool fio_mode);

}  // namespace fathom::session::jobs
