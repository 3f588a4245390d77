// Quotes words for a shell.
#include "base/text/shell_word.h"

#include <algorithm>

#include "base/text/wrapped.h"

namespace fathom::base::text {

std::string single_quoted(std::string_view word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "%+,-./:=@_";
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  });
  return plain ? std::string(word) : single_quoted(word);
}

std::string command_text(std::span<const std::string> words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
  return out;
}

std::string command_lines(std::string_view command, std::size_t columns) {
  constexpr std::string_view kIndent = "    ", kGoesOn = " \\";
  if (columns_of(command) <= columns) return std::string(command);
  std::string out, line, word;
  const auto end_word = [&] {
    const bool fits = columns_of(line) + 1 + columns_of(word) + kGoesOn.size() <= columns;
    if (!line.empty() && !fits) {
      out.append(line).append(kGoesOn).append("\n");
      line = std::string(kIndent) + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
    word.clear();
  };
  bool quoted = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == ' ' && !quoted) {
      end_word();
      continue;
    }
    word += command[i];
    if (command[i] == '\\' && !quoted && i + 1 < command.size())
      word += command[++i];
    else if (command[i] == '\'')
      quoted = !quoted;
  }
  end_word();
  return out + line;
}

}  // namespace fathom::base::text
