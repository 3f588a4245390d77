// What is known of a failed I/O beside its errno, looked at when the worker's loop is over: a file that was cut short
// while the job ran, a file system that is full, and what was measured until then. Costs a job without failures
// nothing.
#pragma once
#include "run/open_files.h"
#include "run/record.h"
#include "run/targets.h"

namespace fathom::run {

void explain_io_failures(const Plan& plan, const OpenTargets& open, WorkerRecord& record);

// "12345 I/Os (48.2 MiB) in 1.30 s".
std::string kept_text(const WorkerRecord& record);

}  // namespace fathom::run
