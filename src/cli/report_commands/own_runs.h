// Runs that another command makes. Each is a separate process, as if the user started it, so that differences from one
// start to the next are included. They share the user's standard error and write their report to a file.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::cli::report_commands {

// words: arguments of `fathom run`. Returns the exit status after the run ended. If the flag is raised, the run gets
// SIGTERM. If this process dies, the kernel kills the run. Errors: it cannot be started.
// on_second: called with each line of --live=json; empty: the option is not passed.
using SecondListener = std::function<void(const std::string& line)>;
base::Expected<int> run_once(const std::vector<std::string>& words, const std::atomic<std::uint32_t>& stopped,
                             const SecondListener& on_second = {});
// The directory of this name if it is new or empty, else the first unused of NAME-2, NAME-3 ...
std::string unused_directory(const std::string& name);
// The error that ends a command when its run could not begin.
base::Error not_run(const std::string& job, int status);

}  // namespace fathom::cli::report_commands
