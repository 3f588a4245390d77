// The only place that prints an error: what, where (file:line:column and a caret below the text), cause, and help.
// Thread rule: the main thread. Failures to write are ignored.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::cli {

// The error as text of several lines, ending with a newline. `program` replaces a missing place.
std::string render_error(const base::Error& error, std::string_view program, std::string_view word = "error");
// The error without places in a command line that the user did not type, such as an option that another command made
// from its own. typed: the words that the user typed.
base::Error as_typed(base::Error error, std::span<const std::string> typed);
// Prints an error to standard error.
void show_error(const base::Error& error, std::string_view program);
// The same for an error that does not end the command.
void show_warning(const base::Error& error, std::string_view program);
// Prints a message that is not an error, "fathom: text", to standard error.
void show_line(const std::string& text, std::string_view program);
// Prints what killed runs left behind, and how to undo it. Once for a command and all commands that it starts.
void show_left_by_killed_runs(std::string_view program);

}  // namespace fathom::cli
