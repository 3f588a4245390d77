// Layout and escaping.
#include "report/parts/json_writer.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "report/parts/utf8.h"

namespace fathom::report::parts {

void JsonWriter::separate() {
  if (depth_ == 0) return;
  if (!first_) out_ += ',';
  if (!one_line_) out_ += '\n', out_.append(2 * depth_, ' ');
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
  if (!one_line_) out_ += '\n', out_.append(2 * depth_, ' ');
  out_ += bracket;
  first_ = false;
}

void JsonWriter::name(std::string_view key) {
  separate();
  quote(key);
  out_ += one_line_ ? ":" : " : ";
}

void JsonWriter::quote(std::string_view text) {
  out_ += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out_ += kReplacement;
    } else if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += text[0];
    } else if (c < 0x20 || c == 0x7F) {
      out_ += fmt::format("\\u{:04x}", c);
    } else if (length == 2 && c == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0) {
      out_ += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[1]));  // C1: a terminal obeys some of them
    } else {
      out_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out_ += '"';
}

void JsonWriter::pair(std::uint64_t first, std::uint64_t second) {
  separate();
  out_ += fmt::format("[{}, {}]", first, second);
}

void JsonWriter::counts(std::string_view key, std::span<const std::uint64_t> values) {
  name(key);
  out_ += fmt::format("[{}]", fmt::join(values, one_line_ ? "," : ", "));
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

// With a point or an exponent, so that the type shows.
void JsonWriter::exact_number(double value) {
  if (!std::isfinite(value)) return void(out_ += "null");
  const std::string digits = fmt::format("{}", value);
  out_ += digits;
  if (digits.find_first_of(".e") == std::string::npos) out_ += ".0";
}

void JsonWriter::exact(std::string_view key, double value) {
  name(key);
  exact_number(value);
}

void JsonWriter::exact_element(double value) {
  separate();
  exact_number(value);
}

void JsonWriter::null(std::string_view key) {
  name(key);
  out_ += "null";
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

}  // namespace fathom::report::parts
