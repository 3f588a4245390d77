// `fathom doctor [--json]`: what fathom can measure on this machine, and its overhead there.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::clock_commands {

int doctor_command(std::span<const std::string> args);

}  // namespace fathom::cli::clock_commands
