// Reads a pattern item by item.
#include "job/values/pattern_text.h"

#include <charconv>
#include <cstdint>
#include <limits>

namespace fathom::job::values {
namespace {

constexpr const char* kHelp = "write \"text\", 'FILE', 0xHEX or a number, or several of them one after the other";

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int digit(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }
bool begins_hex(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

// Each function returns the length of the item in the text; 0: not an item.
std::size_t take_quoted(std::string_view text, fields::PatternPart& part) {
  const std::size_t end = text.find(text[0], 1);
  if (end == std::string_view::npos || end == 1) return 0;
  part = {std::string(text.substr(1, end - 1)), text[0] == '\''};
  return end + 1;
}

std::size_t take_hex(std::string_view text, fields::PatternPart& part) {
  std::size_t end = 2;
  while (end < text.size() && is_hex(text[end]) && !begins_hex(text.substr(end))) ++end;
  const auto digits = text.substr(2, end - 2);
  if (digits.empty()) return 0;
  int value = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    value = value * 16 + digit(digits[i]);
    if ((digits.size() - i) % 2 == 0) continue;
    part.text.push_back(static_cast<char>(value));
    value = 0;
  }
  return end;
}

std::size_t take_decimal(std::string_view text, fields::PatternPart& part) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || number > std::numeric_limits<std::int32_t>::max() ||
      number < std::numeric_limits<std::int32_t>::min())
    return 0;
  auto rest = static_cast<std::uint32_t>(number);
  do {
    part.text.push_back(static_cast<char>(rest & 0xff));
    rest >>= 8;
  } while (rest != 0);
  auto length = static_cast<std::size_t>(end - text.data());
  if (begins_hex(text.substr(length - 1))) {  // the 0 of the following 0x...
    if (length == 1) return 0;
    part.text.clear();
    return take_decimal(text.substr(0, length - 1), part);
  }
  return length;
}

std::size_t take_item(std::string_view text, fields::PatternPart& part, bool offsets) {
  if (offsets && text.starts_with("%o")) {
    part.is_offset = true;
    return 2;
  }
  if (text[0] == '"' || text[0] == '\'') return take_quoted(text, part);
  return begins_hex(text) ? take_hex(text, part) : take_decimal(text, part);
}

}  // namespace

Outcome read_pattern(const Value& value, std::vector<fields::PatternPart>& out, bool offsets) {
  out.clear();
  int places = 0;
  for (std::string_view rest = value.text; !rest.empty();) {
    fields::PatternPart part;
    const std::size_t taken = take_item(rest, part, offsets);
    if (taken == 0)
      return wrong("not a pattern", "a pattern is text or a file name in quotes, hexadecimal, or a number of 32 bits",
                   kHelp, rest);
    if (part.is_offset && ++places > kMostOffsets)
      return wrong("too many %o", "a pattern may have the offset in eight places", "omit the others", rest);
    // Adjacent bytes become one part.
    const auto bytes = [](const fields::PatternPart& p) { return !p.is_file && !p.is_offset; };
    if (!out.empty() && bytes(out.back()) && bytes(part))
      out.back().text += part.text;
    else
      out.push_back(std::move(part));
    rest.remove_prefix(taken);
  }
  if (out.empty()) return wrong("no pattern", "the value is empty", kHelp, value.text);
  return {};
}

}  // namespace fathom::job::values
