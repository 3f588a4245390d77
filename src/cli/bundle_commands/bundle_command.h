// `fathom bundle`, `fathom verify-bundle`, `fathom rerun`: a result as one file that another machine can check and run
// again. Each returns the exit status.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::bundle_commands {

int bundle_command(std::span<const std::string> args);
int verify_bundle_command(std::span<const std::string> args);
int rerun_command(std::span<const std::string> args);

}  // namespace fathom::cli::bundle_commands
