// `fathom report FILE...`: prints a stored result again, in every format of the command that made it.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::report_commands {

int report_command(std::span<const std::string> args);

}  // namespace fathom::cli::report_commands
