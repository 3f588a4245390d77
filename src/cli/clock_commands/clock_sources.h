// `fathom clock sources`.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::clock_commands {

int clock_sources_command(std::span<const std::string> args);

}  // namespace fathom::cli::clock_commands
