// --debug=: lines that scripts read of fio, in fio's shape: a category, a process, and what it has to say of it. Pure
// but for the seed of a job that wants another one each time: it is drawn here, so that the one that is shown is used.
#pragma once
#include <string>

#include "job/command.h"

namespace fathom::session::jobs {

// The category is asked for, or all are.
bool debugs(const job::Command& command, const char* category);

// "fio: set debug option random" a category, and what is known before the jobs run.
std::string debug_lines(job::Command& command, bool fio_mode);

}  // namespace fathom::session::jobs
