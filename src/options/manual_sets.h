// Texts of several manuals at once: sections of a man page, and the values that are written in a language of their own.
// Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "options/manual.h"

namespace fathom::options {

// Options for the man page of the command `words` ("run", "nvme"): first its own options, without a heading, then a
// section for each action that has other options. `words` omits the program, or names another one ("pmbench"), which
// gets a section. Empty: no such command.
std::string scdoc_sections(std::span<const Manual> manuals, std::string_view program, std::string_view words);
// The examples of values, quoted, a line each, as a fuzzer's dictionary has them.
std::string example_words(std::span<const Manual> manuals);

}  // namespace fathom::options
