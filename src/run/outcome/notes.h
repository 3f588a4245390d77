// What a run says of a job beside its numbers, as findings: what its worker noted (an engine's fall-back, a clock that
// stepped back, work that was done before the ramp was over), and how the text of the job was understood where a reader
// may expect otherwise. Each with its evidence and what the user can do. Thread rule: the parent, after the workers.
#pragma once
#include <vector>

#include "result/result.h"
#include "run/files/targets.h"
#include "run/workers.h"

namespace fathom::run::outcome {

void add_notes(const Worker& member, result::Run& run);
void add_option_findings(const std::vector<files::Plan>& plans, result::Run& run);
// rate_min=, rate_iops_min= of a job that ended before it was judged by them.
void add_least_rate(const job::Job& job, const result::Job& measured, result::Run& run);
// Of jobs whose single I/Os nobody writes down, where somebody asked for them.
void add_stamp_findings(const std::vector<files::Plan>& plans, result::Run& run);

}  // namespace fathom::run::outcome
