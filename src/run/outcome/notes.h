// Findings about a job, in addition to its numbers: notes of its worker (an engine's fallback, a clock that stepped
// back, work done before the end of the ramp), and options that a reader may understand differently from fathom. Each
// includes its evidence and the user's remedy. Thread rule: the parent, after the workers.
#pragma once
#include <vector>

#include "result/result.h"
#include "run/files/targets.h"
#include "run/gates/zone_tables.h"
#include "run/workers.h"

namespace fathom::run::outcome {

void add_notes(const Worker& member, result::Run& run);
// A zoned device whose write pointers differ from the writes of the run.
void add_zone_findings(const std::vector<gates::ZoneDifference>& devices, result::Run& run);
void add_option_findings(const std::vector<files::Plan>& plans, result::Run& run);
// rate_min=, rate_iops_min= of a job that ended before the parent judged it.
void add_least_rate(const job::Job& job, const result::Job& measured, result::Run& run);
// For jobs with io_submit_mode=offload, if single I/Os were requested (--debug=io, --breakdown): they are not logged.
void add_stamp_findings(const std::vector<files::Plan>& plans, result::Run& run);

}  // namespace fathom::run::outcome
