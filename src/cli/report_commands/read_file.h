// A whole file in memory, for what is read back: at most so many bytes, since some files have no end.
#pragma once
#include <cstddef>
#include <string>

#include "base/error.h"

namespace fathom::cli::report_commands {

// Up to one byte more than `most_bytes`.
base::Expected<std::string> read_file(const std::string& path, std::size_t most_bytes);
std::string read_standard_input(std::size_t most_bytes);

// A result, whoever wrote it, and of whatever kind: one that is too large is refused, a file before it is read.
base::Expected<std::string> read_result_file(const std::string& path);
base::Expected<std::string> read_result_input();

}  // namespace fathom::cli::report_commands
