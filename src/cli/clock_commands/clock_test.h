// `fathom clock test`, and fio's `--cpuclock-test`.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::clock_commands {

int clock_test_command(std::span<const std::string> args);

// With fio's output and exit status.
int cpuclock_test();

}  // namespace fathom::cli::clock_commands
