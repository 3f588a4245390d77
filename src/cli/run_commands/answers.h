// Command lines that run no job: --help, --version, --cmdhelp, --enghelp, --inflate-log, --showcmd, --cpuclock-test,
// --explain-compat, --idle-prof=calibrate, --parse-only.
#pragma once
#include <optional>

#include "base/error.h"
#include "job/command.h"

namespace fathom::cli::run_commands {

// Prints the answer. Returns its exit status or error; empty: there are jobs to run.
std::optional<base::Expected<int>> answer(job::Command& command, bool fio_mode);

}  // namespace fathom::cli::run_commands
