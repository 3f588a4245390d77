// Words of a command line, quoted for a shell. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fathom::base::text {

std::string single_quoted(std::string_view word);
// In single quotes if a shell would interpret it differently.
std::string shell_word(std::string_view word);
std::string command_text(std::span<const std::string> words);

}  // namespace fathom::base::text
