// Color in texts for people. Only the words at the start of a report's lines are colored.
// A line therefore has the same meaning without color.
// Color is for terminals only, and the environment overrides this:
// NO_COLOR (no-color.org) disables it. CLICOLOR_FORCE, unless 0, enables it for every output.
// TERM=dumb or an empty TERM disables it.
// Thread rule: the main thread, since these functions read the environment. No errors.
#pragma once
#include <string>
#include <string_view>

namespace fathom::cli {

// True if the output `fd` gets color.
bool wants_colour(int fd);
// The text with color codes. The text is already printable, so no name in it can begin a line.
std::string coloured(std::string_view text);

}  // namespace fathom::cli
