// `fathom doctor [--json]`: what this machine lets fathom measure, and what fathom itself costs on it.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::clock_commands {

int doctor_command(std::span<const std::string> args);

}  // namespace fathom::cli::clock_commands
