// `fathom trace`: recorded I/O traces. One file per action.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::trace_commands {

int trace_convert_command(std::span<const std::string> args);
int trace_summary_command(std::span<const std::string> args);
int trace_to_job_command(std::span<const std::string> args);

}  // namespace fathom::cli::trace_commands
