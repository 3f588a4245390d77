// The check of UTF-8 follows the table of well-formed sequences (Unicode 15, table 3-7): no overlong forms, no
// surrogates, nothing beyond U+10FFFF.
#include "base/text/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fathom::base::text {
namespace {

unsigned char byte_at(std::string_view s, std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0; }
bool continues(unsigned char c) { return (c & 0xC0) == 0x80; }

std::string escaped(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 2) return fmt::format("\\u{:04x}", static_cast<unsigned char>(sequence[1]));  // C1: U+0080..9F
  switch (first) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", first);
  }
}

// Characters that need no check.
bool plain(char c) { return c >= 0x20 && c < 0x7F; }

std::string harmless(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto run = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), plain) - text.begin());
    out += text.substr(0, run);
    text.remove_prefix(run);
    if (text.empty()) break;
    const auto c = static_cast<unsigned char>(text[0]);
    const std::size_t length = utf8_length(text);
    const bool c1 = length == 2 && c == 0xC2 && byte_at(text, 1) < 0xA0;
    const bool control = (c < 0x20 && kept.find(text[0]) == std::string_view::npos) || c == 0x7F || c1 || length == 0;
    const auto sequence = text.substr(0, length == 0 ? 1 : length);
    if (control)
      out += escaped(sequence);
    else
      out += sequence;
    text.remove_prefix(sequence.size());
  }
  return out;
}

}  // namespace

std::size_t utf8_length(std::string_view s) {
  const unsigned char a = byte_at(s, 0), b = byte_at(s, 1), c = byte_at(s, 2), d = byte_at(s, 3);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return continues(b) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    const bool overlong = a == 0xE0 && b < 0xA0;
    const bool surrogate = a == 0xED && b > 0x9F;
    return continues(b) && continues(c) && !overlong && !surrogate ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const bool overlong = a == 0xF0 && b < 0x90;
    const bool beyond = a == 0xF4 && b > 0x8F;
    return continues(b) && continues(c) && continues(d) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string printable(std::string_view text) { return harmless(text, ""); }
std::string printable_lines(std::string_view text) { return harmless(text, "\n\t"); }

std::string with_ascii_signs(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kSigns[] = {{"±", "+-"}, {"…", "..."}};
  for (const auto& [sign, ascii] : kSigns)
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at))
      text.replace(at, sign.size(), ascii);
  return text;
}

}  // namespace fathom::base::text
