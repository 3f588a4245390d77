// `fathom run` and fio mode: the main job, from command line to report.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::run_commands {

// called_with: the user's command line for the result; empty: args. `fathom nvme perf` constructs its args.
int run_command(std::span<const std::string> args, bool fio_mode, std::span<const std::string> called_with = {});

}  // namespace fathom::cli::run_commands
