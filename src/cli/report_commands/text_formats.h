// What a command that reports in text and in what programs read is asked for: names of formats, and how wide its text may
// be.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "result/stored.h"

namespace fathom::cli::report_commands {

// "text,json" of --output-format; `normal` is `text`. Errors: usage, with the nearest name of those of that kind.
base::Expected<std::vector<std::string>> formats_named(const std::string& list, const result::Stored& kind);
// Of standard output's terminal; 80 where it is none, or where the text goes to a file.
std::size_t text_width(bool to_file);

}  // namespace fathom::cli::report_commands
