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
// A command on lines of at most `columns`, each but the last with a backslash at its end: a shell reads it as one line.
// A word that is wider stays whole.
std::string command_lines(std::string_view command, std::size_t columns);

}  // namespace fathom::base::text
