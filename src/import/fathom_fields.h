// Reads the fields of result/fields.h and result/paging_fields.h from their elements. In a whole file (form 2), a
// missing field is an error; in an older one, it keeps its value. Missing lists, texts and tables are empty.
// The file is not trusted: a number must fit its type, bins must add up to their count, and the total number of series
// values is bounded, since each takes ten times its size in the file.
#pragma once
#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "import/xml_reader.h"
#include "result/paging_fields.h"

namespace fathom::import {

inline constexpr std::size_t kMostSeriesValues = std::size_t{1} << 24;  // 100 runs of 5 minutes have a third of them
inline constexpr std::size_t kMostOlderParts = std::size_t{1}
                                               << 16;  // if a part may be empty, and thus small in the file

// State of one document.
struct FathomForm {
  bool whole = true;
  std::size_t series_values_left = kMostSeriesValues;
  std::size_t older_parts_left = kMostOlderParts;
};

void read_latency(XmlReader& in, pugi::xml_node node, result::AccessLatency& latency);
void read_series(XmlReader& in, pugi::xml_node node, std::size_t& values_left,
                 std::vector<result::PagingSeriesPoint>& points);

class ElementReader {
 public:
  static constexpr bool kXml = true;
  ElementReader(XmlReader& in, pugi::xml_node at, FathomForm& form) : in_(in), at_(at), form_(form) {}

  void attribute(const char* name, std::string& text) { text = at_.attribute(name).value(); }
  template <class Enum>
  void attribute(const char* key, Enum& value, Enum last) {
    choose(at_, key, at_.attribute(key).value(), value, last);
  }
  void field(const char* name, std::string& text) {
    if (in_file(name)) text = in_.text(at_, name);
  }
  void field(const char* name, double& value) {
    if (in_file(name)) value = in_.real(at_, name);
  }
  void field(const char* name, bool& value) {
    if (in_file(name)) value = in_.flag(at_, name);
  }
  void field(const char* name, std::int64_t& value) {
    if (in_file(name)) value = in_.integer(at_, name);
  }
  template <std::integral T>
  void field(const char* name, T& value) {
    if (!in_file(name)) return;
    const auto read = in_.count(at_, name);
    if (read <= static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
      value = static_cast<T>(read);
    else
      in_.fail(at_.child(name), fmt::format("<{}> is too large", name),
               fmt::format("at most {}", std::numeric_limits<T>::max()));
  }
  template <class Enum>
  void field(const char* key, Enum& value, Enum last) {
    if (in_file(key)) choose(at_.child(key), key, in_.text(at_, key), value, last);
  }
  template <class Number>
  void known(const char* name, Number& value) {
    field(name, value);
  }
  template <class Number>
  void maybe(const char* name, std::optional<Number>& value) {
    if (present(name, value)) field(name, *value);
  }
  void spread(std::size_t, double& low, double& high) { field("ci95_low", low), field("ci95_high", high); }
  bool there(const char* name, bool) const { return !at_.child(name).empty(); }
  bool there_in_xml(const char* name, bool) const { return there(name, false); }
  bool present(const char* name, bool& known) { return known = !at_.child(name).empty(); }
  template <class T>
  bool present(const char* name, std::optional<T>& part) {
    if (at_.child(name)) part.emplace();
    return part.has_value();
  }
  template <class T>
  void part(const char* name, T& value) {
    if (!in_file(name)) return;
    ElementReader inner(in_, in_.need(at_, name), form_);
    walk(inner, value);
  }
  // The first elements may already have values from pmbench's own elements. They are completed.
  template <class T>
  void list(const char* name, const char* each, std::vector<T>& values) {
    std::size_t index = 0;
    for (const auto node : at_.child(name).children(each)) {
      if (!form_.whole && form_.older_parts_left-- == 0)
        return in_.fail(node, "too many parts in <fathom>", fmt::format("at most {} in all", kMostOlderParts));
      if (index == values.size()) values.emplace_back();
      ElementReader inner(in_, node, form_);
      walk(inner, values[index++]);
      if (in_.failed()) return;
    }
  }
  void texts(const char* name, std::vector<std::string>& values) {
    for (const auto node : at_.children(name)) values.emplace_back(node.child_value());
  }
  void pairs(const char* name, const char* each, std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto node : at_.child(name).children(each))
      values.emplace_back(node.attribute("name").value(), node.child_value());
  }
  template <class Number>
  void counts(const char* name, const char* each, std::map<std::string, Number>& values) {
    for (const auto node : at_.child(name).children(each))
      values[node.attribute("name").value()] = number<Number>(node, node.child_value());
  }
  template <class Number>
  void numbers(const char* name, std::vector<Number>& values) {
    const auto node = at_.child(name);
    for (std::string_view text = node.child_value(); !text.empty() && !in_.failed();)
      values.push_back(number<Number>(node, next_word(text)));
  }
  void latency(const char* name, result::AccessLatency& latency) {
    if (const auto node = at_.child(name)) read_latency(in_, node, latency);
  }
  void classes(const char* name, result::AccessLatencies& latencies);
  void series(const char* name, std::vector<result::PagingSeriesPoint>& points) {
    if (const auto node = at_.child(name)) read_series(in_, node, form_.series_values_left, points);
  }

 private:
  bool in_file(const char* name) const { return form_.whole || at_.child(name); }
  template <class Enum>
  void choose(pugi::xml_node node, const char* key, std::string_view word, Enum& value, Enum last) {
    for (int i = 0; i <= static_cast<int>(last); ++i)
      if (word == name(static_cast<Enum>(i))) {
        value = static_cast<Enum>(i);
        return;
      }
    in_.fail(node, fmt::format("\"{:.40}\" is no {}", word, key), "not a known value");
  }
  template <class Number>
  Number number(pugi::xml_node node, std::string_view text) {
    const auto value = to_number<Number>(text);
    if (!value)
      in_.fail(node, fmt::format("<{}> holds \"{:.40}\"", node.name(), text), "not a number of the expected type");
    return value.value_or(Number{});
  }

  XmlReader& in_;
  pugi::xml_node at_;
  FathomForm& form_;
};

}  // namespace fathom::import
