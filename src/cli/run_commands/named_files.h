// The files that a command's jobs read and write, known before anything is opened: no output may be one of them, and none
// that holds something is lost without --force.
#pragma once
#include <vector>

#include "base/error.h"
#include "cli/report_commands/report_file.h"
#include "job/command.h"
#include "run/files/targets.h"

namespace fathom::cli::run_commands {

// Names targets, then what the jobs write besides them.
base::Expected<void> name_files(const std::vector<run::files::Plan>& plans, const job::Command& command, bool fio_mode,
                                report_commands::Outputs& outputs);

}  // namespace fathom::cli::run_commands
