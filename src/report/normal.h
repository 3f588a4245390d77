// fio's text report in two parts, with other formats between them. Before them is the verdict, which a reader needs
// first. normal() of formats.h is opening(), preamble() and results().
#pragma once
#include <string>

#include "result/result.h"

namespace fathom::report {

// The verdict; empty if the program was called as fio, because the text is then fio's.
std::string opening(const result::Run& run, std::size_t columns = 80);
// The verdict in full, without anything else.
std::string brief(const result::Run& run, std::size_t columns);

// One line per job section ("...", if numjobs made clones), the versions, "Starting N processes".
// Uses of a run: program, jobs (name, group, rw, block sizes, engine, depth, section, thread), group_members.
std::string preamble(const result::Run& run);

// Run errors, job blocks, group status, disk statistics, and fathom's own section.
std::string results(const result::Run& run);

}  // namespace fathom::report
