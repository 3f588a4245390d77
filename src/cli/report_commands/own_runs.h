// Runs that another command makes: each an invocation of its own, as the user would start it, so that what differs from
// one start to the next is among them. Their standard error is the user's, their report a file.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::cli::report_commands {

// words: of `fathom run`. The exit status, when it has ended; a raised flag is handed on as SIGTERM. It ends with this
// process. Errors: it cannot be started.
// on_second: told each line that --live=json says of it; empty: it is not asked to.
using SecondListener = std::function<void(const std::string& line)>;
base::Expected<int> run_once(const std::vector<std::string>& words, const std::atomic<std::uint32_t>& stopped,
                             const SecondListener& on_second = {});
// That what could not even begin ends whoever wanted it.
base::Error not_run(const std::string& job, int status);

}  // namespace fathom::cli::report_commands
