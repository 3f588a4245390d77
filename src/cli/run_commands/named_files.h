// The files that a command's jobs read and write, determined before anything is opened. No output may be one of them,
// and a file with content is overwritten only with --force.
#pragma once
#include <vector>

#include "base/error.h"
#include "cli/report_commands/report_file.h"
#include "job/command.h"
#include "run/files/targets.h"

namespace fathom::cli::run_commands {

// Adds the targets, then the other files that the jobs write.
base::Expected<void> name_files(const std::vector<run::files::Plan>& plans, const job::Command& command, bool fio_mode,
                                report_commands::Outputs& outputs);

}  // namespace fathom::cli::run_commands
