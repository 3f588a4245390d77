// Writes the fields of result/fields.h and result/paging_fields.h as elements: numbers in the shortest digits that read
// back as the same number, what is no number as 0 (as JSON has it), what is empty not at all. A histogram is
// "value:count" of its buckets. A series is a table, because a point of it as elements of their own would take ten
// times the room.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/paging_xml.h"
#include "result/paging_fields.h"

namespace fathom::report {

inline std::string xml_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "0"; }
inline std::string xml_number(bool value) { return value ? "1" : "0"; }
std::string xml_number(std::integral auto value) { return fmt::format("{}", value); }

void xml_latency(pugi::xml_node node, const result::AccessLatency& latency);                 // ..._xml_series.cc
void xml_series(pugi::xml_node node, const std::vector<result::PagingSeriesPoint>& points);  // ..._xml_series.cc

class ElementWriter {
 public:
  static constexpr bool kXml = true;
  explicit ElementWriter(pugi::xml_node at) : at_(at) {}

  void attribute(const char* name, const std::string& text) { add_attribute(at_, name, text); }
  template <class Enum>
  void attribute(const char* key, Enum value, Enum /*last*/) {
    add_attribute(at_, key, name(value));
  }
  void field(const char* name, const std::string& text) { add_element(at_, name, text); }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void field(const char* name, Number value) { add_element(at_, name, xml_number(value)); }
  template <class Enum>
  void field(const char* key, Enum value, Enum /*last*/) {
    add_element(at_, key, name(value));
  }
  template <class Number>
  void known(const char* name, Number value) {
    field(name, value);
  }
  template <class Number>
  void maybe(const char* name, const std::optional<Number>& value) {
    if (value) field(name, *value);
  }
  void spread(std::size_t, double low, double high) { field("ci95_low", low), field("ci95_high", high); }
  static bool there(const char*, bool there) { return there; }
  static bool there_in_xml(const char*, bool there) { return there; }
  static bool present(const char*, bool known) { return known; }
  template <class T>
  static bool present(const char*, const std::optional<T>& part) {
    return part.has_value();
  }
  template <class T>
  void part(const char* name, const T& value) {
    ElementWriter inner(at_.append_child(name));
    walk(inner, value);
  }
  template <class T>
  void list(const char* name, const char* each, const std::vector<T>& values) {
    if (values.empty()) return;
    ElementWriter inner(at_.append_child(name));
    for (const auto& value : values) inner.part(each, value);
  }
  void texts(const char* name, const std::vector<std::string>& values) {
    for (const auto& text : values) add_element(at_, name, text);
  }
  void pairs(const char* name, const char* each, const std::vector<std::pair<std::string, std::string>>& values) {
    named(name, each, values, [](const std::string& text) { return text; });
  }
  template <class Number>
  void counts(const char* name, const char* each, const std::map<std::string, Number>& values) {
    named(name, each, values, [](Number value) { return xml_number(value); });
  }
  template <class Number>
  void numbers(const char* name, const std::vector<Number>& values) {
    if (values.empty()) return;
    std::string text;
    for (const auto value : values) text += (text.empty() ? "" : " ") + xml_number(value);
    add_element(at_, name, text);
  }
  void latency(const char* name, const result::AccessLatency& latency) {
    if (latency.moments_ns.n > 0) xml_latency(at_.append_child(name), latency);
  }
  void classes(const char* name, const result::AccessLatencies& latencies);
  void series(const char* name, const std::vector<result::PagingSeriesPoint>& points) {
    if (!points.empty()) xml_series(at_.append_child(name), points);
  }

 private:
  void named(const char* name, const char* each, const auto& values, auto text_of) {
    if (values.empty()) return;
    auto node = at_.append_child(name);
    for (const auto& [key, value] : values) add_attribute(add_element(node, each, text_of(value)), "name", key);
  }

  pugi::xml_node at_;
};

}  // namespace fathom::report
