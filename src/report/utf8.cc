// The check follows the table of well-formed sequences (Unicode 15, table 3-7): no overlong forms, no surrogates,
// nothing beyond U+10FFFF.
#include "report/utf8.h"

namespace fathom::report {
namespace {

unsigned char byte_at(std::string_view s, std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0; }
bool continues(unsigned char c) { return (c & 0xC0) == 0x80; }

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

std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = c < 0x20 && c != '\t' && c != '\n' && c != '\r';
    if (length == 0 || control)
      out += kReplacement;
    else
      out += text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace fathom::report
