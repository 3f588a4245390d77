// The output during a run: the status line, messages, reports in mid-run, the lines of --debug=io.
#pragma once
#include "cli/run_commands/output.h"
#include "cli/run_commands/status.h"
#include "job/command.h"
#include "session/jobs.h"

namespace fathom::cli::run_commands {

// All arguments must outlive the listener.
session::Listener listener_of(const job::Command& command, bool fio_mode, StatusPrinter& status, Output& output);

}  // namespace fathom::cli::run_commands
