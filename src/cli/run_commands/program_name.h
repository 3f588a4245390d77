// The name that messages begin with.
#pragma once
#include <string>

namespace fathom::cli::run_commands {

// As scripts that read fio's messages expect.
inline std::string program_name(bool fio_mode) { return fio_mode ? "fio" : "fathom"; }

}  // namespace fathom::cli::run_commands
