// The prefix of messages.
#pragma once
#include <string>

namespace fathom::cli::run_commands {

// As expected by scripts that read fio's messages.
inline std::string program_name(bool fio_mode) { return fio_mode ? "fio" : "fathom"; }

}  // namespace fathom::cli::run_commands
