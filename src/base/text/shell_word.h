// Words of a command line, as a shell takes them. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fathom::base::text {

std::string single_quoted(std::string_view word);
// In single quotes where a shell would make something else of it.
std::string shell_word(std::string_view word);
std::string command_text(std::span<const std::string> words);

}  // namespace fathom::base::text
