// from_chars reads numbers: no locale, no inner white space, no characters after the number.
#include "import/xml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "import/place.h"

namespace fathom::import {
namespace {

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

std::optional<unsigned __int128> to_wide(std::string_view text) {
  if (text.empty() || text.size() > 39) return std::nullopt;
  unsigned __int128 value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

std::string_view next_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

XmlReader::XmlReader(std::string_view text, std::string file_name) : text_(text), file_name_(std::move(file_name)) {}

bool XmlReader::parse() {
  // Text is not changed. It is read as UTF-8, so that offsets count the file's own bytes. Blank text and the line ends
  // of other systems are kept.
  constexpr unsigned kAsItIs = (pugi::parse_default & ~pugi::parse_eol) | pugi::parse_ws_pcdata_single;
  const auto parsed_as = document_.load_buffer(text_.data(), text_.size(), kAsItIs, pugi::encoding_utf8);
  if (!parsed_as) fail_at(parsed_as.offset, "not an XML document", parsed_as.description());
  return !failed();
}

void XmlReader::fail(pugi::xml_node at, std::string what, std::string cause) {
  fail_at(at.offset_debug(), std::move(what), std::move(cause));
}

void XmlReader::fail_at(std::ptrdiff_t offset, std::string what, std::string cause) {
  if (failed()) return;
  base::Error error;
  error.what = std::move(what);
  error.cause = std::move(cause);
  error.help = "the file must be an XML report of pmbench, or of fathom's --output-format=xml";
  error.place = place_in(text_, file_name_, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
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
