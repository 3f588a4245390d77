// The one place where a user's mistake is shown: what, where (file:line:column and a caret under the text), why, and
// what to write instead.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::cli {

// Several lines, ending with a newline.
std::string render_error(const base::Error& error, std::string_view program, std::string_view word = "error");
void show_error(const base::Error& error, std::string_view program);    // on standard error
void show_warning(const base::Error& error, std::string_view program);  // the same, of what does not end the command
void show_line(const std::string& text, std::string_view program);      // no error: "fathom: text", on standard error
// What killed runs have left behind, with how to undo it: once for a command and all that it starts.
void show_left_by_killed_runs(std::string_view program);

}  // namespace fathom::cli
