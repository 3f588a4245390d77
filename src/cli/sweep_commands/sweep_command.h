// `fathom sweep`: runs a job over a range of loads and finds its knee and the highest load within a latency limit.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::sweep_commands {

int sweep_command(std::span<const std::string> args);

}  // namespace fathom::cli::sweep_commands
