// Texts from several manuals: sections of a man page, and example values with a grammar.
// Thread rule: pure functions; any thread. No errors.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "options/manual.h"

namespace fathom::options {

// Options for the man page of the command `words` ("run", "nvme").
// First come its options, without a heading, then a section for each action with other options.
// `words` omits the program. If it names another program ("pmbench"), that gets a section. Empty: no such command.
std::string scdoc_sections(std::span<const Manual> manuals, std::string_view program, std::string_view words);
// The example values, quoted, one per line, in the format of a fuzzer's dictionary.
std::string example_words(std::span<const Manual> manuals);

}  // namespace fathom::options
