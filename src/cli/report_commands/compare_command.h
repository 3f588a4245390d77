// `fathom compare A B [C...]`: compares stored results.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::report_commands {

int compare_command(std::span<const std::string> args);

}  // namespace fathom::cli::report_commands
