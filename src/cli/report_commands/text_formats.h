// The options of a command that reports as text and in machine-readable formats: names of formats, and the width of the
// text.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "result/stored.h"

namespace fathom::cli::report_commands {

// Formats of --output-format, "text,json"; `normal` is `text`. Errors: usage, with the nearest name for that kind.
base::Expected<std::vector<std::string>> formats_named(const std::string& list, const result::Stored& kind);
// Width of the terminal at standard output. 80: not a terminal, or the text goes to a file.
std::size_t text_width(bool to_file);

}  // namespace fathom::cli::report_commands
