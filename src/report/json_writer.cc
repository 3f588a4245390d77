// Layout and escaping. The UTF-8 check follows the table of well-formed sequences (Unicode 15, table 3-7): no overlong
// forms, no surrogates, nothing beyond U+10FFFF.
#include "report/json_writer.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

namespace fathom::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

unsigned char byte_at(std::string_view s, std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0; }
bool continues(unsigned char c) { return (c & 0xC0) == 0x80; }

// Length of the well-formed UTF-8 sequence at the start of s, 0 if there is none.
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

}  // namespace

void JsonWriter::separate() {
  if (depth_ == 0) return;
  out_ += first_ ? "\n" : ",\n";
  out_.append(2 * depth_, ' ');
  first_ = false;
}

void JsonWriter::begin(char bracket) {
  separate();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::begin(std::string_view key, char bracket) {
  name(key);
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::end(char bracket) {
  assert(depth_ > 0);
  --depth_;
  out_ += '\n';
  out_.append(2 * depth_, ' ');
  out_ += bracket;
  first_ = false;
}

void JsonWriter::name(std::string_view key) {
  separate();
  quote(key);
  out_ += " : ";
}

void JsonWriter::quote(std::string_view text) {
  out_ += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const unsigned char c = byte_at(text, 0);
    if (length == 0) {
      out_ += kReplacement;
    } else if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += text[0];
    } else if (c < 0x20 || c == 0x7F) {
      out_ += fmt::format("\\u{:04x}", c);
    } else {
      out_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out_ += '"';
}

void JsonWriter::number(double value) { out_ += fmt::format("{:f}", std::isfinite(value) ? value : 0.0); }

void JsonWriter::field(std::string_view key, std::string_view value) {
  name(key);
  quote(value);
}

void JsonWriter::field(std::string_view key, double value) {
  name(key);
  number(value);
}

void JsonWriter::field(std::string_view key, bool value) {
  name(key);
  out_ += value ? "true" : "false";
}

void JsonWriter::element(std::string_view value) {
  separate();
  quote(value);
}

void JsonWriter::element(double value) {
  separate();
  number(value);
}

std::string JsonWriter::take() {
  assert(depth_ == 0);
  out_ += '\n';
  std::string document = std::move(out_);
  out_.clear();
  first_ = true;
  return document;
}

}  // namespace fathom::report
