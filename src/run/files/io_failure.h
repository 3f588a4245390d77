// Explains a failed I/O beyond its errno, after the worker's loop: a file that was truncated while the job ran, a full
// file system, and the amount measured until then. A job without failures has no cost.
#pragma once
#include "run/files/open_files.h"
#include "run/files/targets.h"
#include "run/records/record.h"

namespace fathom::run::files {

void explain_io_failures(const Plan& plan, const OpenTargets& open, records::WorkerRecord& record);

// "12345 I/Os (48.2 MiB) in 1.30 s".
std::string kept_text(const records::WorkerRecord& record);

}  // namespace fathom::run::files
