// `fathom compare A B [C...]`: stored results held against each other, and what they tell.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::report_commands {

int compare_command(std::span<const std::string> args);

}  // namespace fathom::cli::report_commands
