// fio's text report in two parts, between which other formats stand, and before them what a reader wants to know first.
// normal() of formats.h is opening(), preamble() and results().
#pragma once
#include <string>

#include "result/result.h"

namespace fathom::report {

// The verdict; nothing where the program was called as fio, whose text it is then.
std::string opening(const result::Run& run, std::size_t columns = 80);
// The verdict in full, and nothing else.
std::string brief(const result::Run& run, std::size_t columns);

// One line a job section ("...", where numjobs made clones), the versions, "Starting N processes".
// Needs of a run: program, jobs (name, group, rw, block sizes, engine, depth, section, thread), group_members.
std::string preamble(const result::Run& run);

// Run errors, job blocks, group status, disk statistics, and fathom's own section.
std::string results(const result::Run& run);

}  // namespace fathom::report
