// Texts of several manuals at once: sections of a man page, and the values that are written in a language of their own.
// Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "options/manual.h"

namespace fathom::options {

// What the man page says of the commands that begin with `words` ("nvme", "nvme list"), which may leave out the program
// whose commands they are, or name another program ("pmbench"); empty: there is none.
std::string scdoc_sections(std::span<const Manual> manuals, std::string_view program, std::string_view words);
// The examples of values, quoted, a line each, as a fuzzer's dictionary has them.
std::string example_words(std::span<const Manual> manuals);

}  // namespace fathom::options
