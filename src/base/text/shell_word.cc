// In a shell's words: what has to be quoted, and how.
#include "base/text/shell_word.h"

#include <algorithm>

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

}  // namespace fathom::base::text
