// A paging run in which every field that our XML has is set, each to another value: a walker as result/fields.h
// describes it.
#pragma once
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "result/paging_fields.h"

namespace fathom::report {

class Filler {
 public:
  static constexpr bool kXml = true;
  void attribute(const char* name, std::string& text) { field(name, text); }
  template <class Enum>
  void attribute(const char* name, Enum& value, Enum last) {
    field(name, value, last);
  }
  void field(const char* name, std::string& text) { text = std::string(name) + " <" + std::to_string(++last_) + ">"; }
  void field(const char*, double& value) { value = 1 + ++last_ / 1024.0; }
  void field(const char*, bool& value) { value = true; }
  template <std::integral T>
  void field(const char*, T& value) {
    value = static_cast<T>(++last_);
  }
  template <class Enum>
  void field(const char*, Enum& value, Enum last) {
    value = last;
  }
  template <class Number>
  void known(const char* name, Number& value) {
    field(name, value);
  }
  template <class Number>
  void maybe(const char* name, std::optional<Number>& value) {
    field(name, value.emplace());
  }
  void spread(std::size_t, double& low, double& high) { field("low", low), field("high", high); }
  static bool there(const char*, bool) { return true; }
  static bool there_in_xml(const char*, bool) { return true; }
  bool present(const char*, bool& known) { return known = true; }
  template <class T>
  bool present(const char*, std::optional<T>& part) {
    part.emplace();
    return true;
  }
  template <class T>
  void part(const char*, T& value) {
    walk(*this, value);
  }
  template <class T>
  void list(const char*, const char*, std::vector<T>& values) {
    values.resize(2);
    for (auto& value : values) walk(*this, value);
  }
  void texts(const char* name, std::vector<std::string>& values) {
    values.resize(2);
    for (auto& text : values) field(name, text);
  }
  void pairs(const char*, const char* each, std::vector<std::pair<std::string, std::string>>& values) {
    values.resize(2);
    for (auto& [key, value] : values) field(each, key), field(each, value);
  }
  template <class Number>
  void counts(const char*, const char* each, std::map<std::string, Number>& values) {
    std::string key;
    for (int i = 0; i < 2; ++i) field(each, key), field(each, values[key]);
  }
  template <class Number>
  void numbers(const char* name, std::vector<Number>& values) {
    values.resize(2);
    for (auto& value : values) field(name, value);
  }
  void latency(const char*, result::AccessLatency& latency) {
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t ns = 1000u * ++last_;
      latency.moments_ns.add_many(ns, 7);
      latency.histogram_ns.add(ns, 7);
    }
  }
  void classes(const char* name, result::AccessLatencies& latencies) {
    for (auto& c : latencies)
      for (auto& one : c) latency(name, one);
  }
  void series(const char* name, std::vector<result::PagingSeriesPoint>& points) {
    points.resize(2);
    for (auto& point : points) {
      result::series_columns([&](const char* key, auto member) { field(key, point.*member); });
      counts(name, "kernel", point.kernel);
      counts(name, "pressure", point.pressure_percent);
    }
  }

 private:
  unsigned last_ = 0;
};

inline result::Run filled_run() {
  Filler filler;
  const auto make = [&] {
    result::Run run;
    run.paging.emplace();
    walk(filler, run);
    return run;
  };
  auto run = make();
  run.repetitions = {make(), make()};
  return run;
}

}  // namespace fathom::report
