// What is known of a failed I/O beside its errno, looked at when the worker's loop is over: a file that was cut short
// while the job ran, a file system that is full, and what was measured until then. Costs a job without failures
// nothing.
#pragma once
#include "run/files/open_files.h"
#include "run/files/targets.h"
#include "run/records/record.h"

namespace fathom::run::files {

void explain_io_failures(const Plan& plan, const OpenTargets& open, records::WorkerRecord& record);

// "12345 I/Os (48.2 MiB) in 1.30 s".
std::string kept_text(const records::WorkerRecord& record);

}  // namespace fathom::run::files
