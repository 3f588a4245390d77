// fio's text report in two parts, so that the announcement can be printed before the run and the rest after it.
// normal() of formats.h is preamble() followed by results().
#pragma once
#include <string>

#include "result/result.h"

namespace fathom::report {

// One line a job section ("...", where numjobs made clones), the versions, "Starting N processes".
// Needs of a run: program, jobs (name, group, rw, block sizes, engine, depth, section, thread), group_members.
std::string preamble(const result::Run& run);

// Run errors, job blocks, group status, disk statistics, and fathom's own section.
std::string results(const result::Run& run);

}  // namespace fathom::report
