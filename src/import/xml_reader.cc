// Numbers are read by from_chars: no locale, no white space inside, and nothing left over.
#include "import/xml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fathom::import {
namespace {

constexpr std::size_t kLongestLineShown = 400;  // some files are one line

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

template <class T>
std::optional<T> parsed(std::string_view text) {
  text = trimmed(text);
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> to_count(std::string_view text) { return parsed<std::uint64_t>(text); }
std::optional<std::int64_t> to_integer(std::string_view text) { return parsed<std::int64_t>(text); }
std::optional<double> to_real(std::string_view text) {
  const auto value = parsed<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}
std::optional<int> to_int(std::string_view text) {
  const auto value = parsed<int>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::string_view next_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

XmlReader::XmlReader(std::string_view text, std::string file_name) : text_(text), file_name_(std::move(file_name)) {}

bool XmlReader::parse() {
  // As they are: encoded in UTF-8, so that offsets count the file's own bytes; a text of blanks or with the line ends
  // of another system is that text.
  constexpr unsigned kAsItIs = (pugi::parse_default & ~pugi::parse_eol) | pugi::parse_ws_pcdata_single;
  const auto parsed_as = document_.load_buffer(text_.data(), text_.size(), kAsItIs, pugi::encoding_utf8);
  if (!parsed_as) fail_at(parsed_as.offset, "no XML document", parsed_as.description());
  return !failed();
}

void XmlReader::fail(pugi::xml_node at, std::string what, std::string cause) {
  fail_at(at.offset_debug(), std::move(what), std::move(cause));
}

void XmlReader::fail_at(std::ptrdiff_t offset, std::string what, std::string cause) {
  if (failed()) return;
  const auto at =
      static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size())));
  const std::string_view before = text_.substr(0, at);
  const auto line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto line_end = std::min(text_.find('\n', line_begin), text_.size());
  const bool shown = line_end - line_begin <= kLongestLineShown;
  base::Error error;
  error.what = std::move(what);
  error.cause = std::move(cause);
  error.help = "the file must be an XML report of pmbench, or of fathom's --output-format=xml";
  error.place = base::SourcePlace{file_name_, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                                  static_cast<int>(at - line_begin) + 1,
                                  std::string(text_.substr(line_begin, shown ? line_end - line_begin : 0)), 1};
  error_ = std::move(error);
}

pugi::xml_node XmlReader::need(pugi::xml_node parent, const char* name) {
  const auto child = parent.child(name);
  if (!child && parent) fail(parent, fmt::format("no <{}> in <{}>", name, parent.name()), "pmbench writes one there");
  return child;
}

std::string XmlReader::text(pugi::xml_node parent, const char* name) { return need(parent, name).child_value(); }

std::string XmlReader::optional_text(pugi::xml_node parent, const char* name) const {
  return parent.child(name).child_value();
}

template <class T>
T XmlReader::number(pugi::xml_node parent, const char* name, const char* kind) {
  const auto child = need(parent, name);
  if (!child) return {};
  std::optional<T> value;
  if constexpr (std::is_same_v<T, double>) {
    value = to_real(child.child_value());
  } else {
    value = parsed<T>(child.child_value());
  }
  if (!value)
    fail(child, fmt::format("<{}> holds \"{:.40}\"", name, child.child_value()), fmt::format("not a {}", kind));
  return value.value_or(T{});
}

std::uint64_t XmlReader::count(pugi::xml_node parent, const char* name) {
  return number<std::uint64_t>(parent, name, "whole number of 64 bits from 0 on");
}
std::int64_t XmlReader::integer(pugi::xml_node parent, const char* name) {
  return number<std::int64_t>(parent, name, "whole number of 64 bits");
}
double XmlReader::real(pugi::xml_node parent, const char* name) { return number<double>(parent, name, "number"); }

}  // namespace fathom::import
