// `fathom sweep`: a job over a range of loads, its knee, and how much load a limit of latency allows.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::sweep_commands {

int sweep_command(std::span<const std::string> args);

}  // namespace fathom::cli::sweep_commands
