// Colour in texts for people: the words that a report's lines begin with, and no more, so that a line says the same
// without it. On a terminal only, as the environment has it: NO_COLOR (no-color.org) forbids it, CLICOLOR_FORCE asks for
// it everywhere, TERM=dumb has none.
#pragma once
#include <string>
#include <string_view>

namespace fathom::cli {

bool wants_colour(int fd);
// Of a text that is printable already: names in it cannot begin a line.
std::string coloured(std::string_view text);

}  // namespace fathom::cli
