// `fathom run` and fio mode: the main job, from command line to report.
#pragma once
#include <span>
#include <string>

#include "cli/report_commands/job_files.h"

namespace fathom::cli::run_commands {

// called_with: the user's command line for the result; empty: args. `fathom nvme perf` constructs its args.
// in_memory: a job file in args that is not on a disk; nullptr: none.
int run_command(std::span<const std::string> args, bool fio_mode, std::span<const std::string> called_with = {},
                const report_commands::JobInMemory* in_memory = nullptr);

}  // namespace fathom::cli::run_commands
