// Writes the fields of result/run_fields.h as JSON: fathom's half of a result file, and documents (result/documents.h).
// Exact: numbers have all digits, and unknown values are null. Otherwise numbers have six decimals, and unknown values
// are absent.
#pragma once
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/parts/fio_json_latency.h"
#include "report/parts/json_writer.h"
#include "result/run_fields.h"
#include "result/sums/percentiles.h"

namespace fathom::report::parts {

class JsonFields {
 public:
  JsonFields(JsonWriter& w, bool exact) : w_(w), exact_(exact) {}

  template <class... Value>
  void attribute(const result::Key& key, const Value&... value) {
    field(key, value...);
  }
  template <class T>
  void field(const result::Key& key, const T& value) {
    number_or_text(key.name, value);
  }
  template <class Enum>
  void field(const result::Key& key, Enum value, Enum /*last*/) {
    w_.field(key.name, name(value));
  }
  template <class T>
  void known(const result::Key& key, const T& value) {
    exact_&& value == T{} ? w_.null(key.name) : number_or_text(key.name, value);
  }
  template <class Number>
  void maybe(const result::Key& key, const std::optional<Number>& value) {
    if (value) return field(key, *value);
    if (exact_) w_.null(key.name);
  }
  void derived(const result::Key& key, const auto& function) { field(key, function()); }
  void derived_list(const result::Key& key, const auto& function) { list(key, "", function()); }
  void derived_texts(const result::Key& key, const auto& function) { texts(key, function()); }
  static bool present(const char*, bool known) { return known; }
  template <class T>
  static bool present(const char*, const std::optional<T>& part) {
    return part.has_value();
  }
  static bool there(const char*, bool there) { return there; }
  static bool there_in_xml(const char*, bool) { return true; }
  template <class T, class... Context>
  void part(const result::Key& key, const T& value, const Context&... context) {
    group(key, [&](JsonFields& in) { walk(in, value, context...); });
  }
  void group(const result::Key& key, const auto& function) {
    w_.begin_object(key.name);
    function(*this);
    w_.end_object();
  }
  template <class T, class... Context>
  void list(const result::Key& key, const char* /*each*/, const std::vector<T>& values, const Context&... context) {
    array(key, values, [&](const T& value) { walk(*this, value, context...); });
  }
  void texts(const result::Key& key, const std::vector<std::string>& values) { elements(key, values); }
  void numbers(const result::Key& key, const auto& values) { elements(key, values); }
  void pairs(const result::Key& key, const char* /*each*/, const auto& values) {
    group(key, [&](JsonFields&) {
      for (const auto& [name, value] : values) number_or_text(name, value);
    });
  }
  void counts(const result::Key& key, const char* each, const auto& values) { pairs(key, each, values); }
  void spread(std::size_t n, double low, double high) {
    const bool interval = n >= stats::kFewestForInterval;
    field(interval ? "ci95_low" : "range_low", low);
    field(interval ? "ci95_high" : "range_high", high);
  }

  void wide(const result::Key& key, unsigned __int128 value) { w_.field(key.name, fmt::format("{}", value)); }
  void percentile_table(const result::Key& key, const auto& latency, const std::vector<double>& list) {
    const auto table = percentiles_of(latency, list);
    if (!table.empty()) write_percentiles(w_, key.name, table);
  }
  void histogram(const result::Key& key, const stats::Histogram& histogram) {
    if (histogram.empty()) return;
    w_.begin_array(key.name);
    for (const auto& bin : histogram.bins()) w_.pair(stats::bucket_value(bin.bucket), bin.count);
    w_.end_array();
  }
  void latency(const result::Key& key, const auto& latency, const std::vector<double>& percentiles) {
    if (latency.moments_ns.n > 0) write_latency(key, latency, percentiles);
  }
  void part_latency(const result::Key& key, const result::PartLatency& part, const std::vector<double>& percentiles) {
    if (part.covered) write_latency(key, part, percentiles);
  }
  void common(const result::Job& job) {
    if (!same_in_all_) walk_common(*this, job);
  }
  void every_job(const result::Run& run);
  void jobs(const result::Key& key, const std::vector<result::Job>& jobs) { list(key, "job", jobs); }
  void repetitions(const result::Key& key, const std::vector<result::Run>& runs, const result::Run& whole) {
    array(key, runs, [&](const result::Run& run) { walk_repetition(*this, run, whole); });
  }

 private:
  template <class T>
  void number_or_text(std::string_view name, const T& value) {
    if constexpr (std::is_same_v<T, double>)
      if (exact_) return w_.exact(name, value);
    w_.field(name, value);
  }
  // A list with a number for each interval of a run would have more spaces than digits.
  static constexpr std::size_t kMostLines = 16;
  void elements(const result::Key& key, const auto& values) {
    if constexpr (requires { w_.counts(key.name, values); })
      if (std::size(values) > kMostLines) return w_.counts(key.name, values);
    w_.begin_array(key.name);
    for (const auto& value : values) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
        exact_ ? w_.exact_element(value) : w_.element(value);
      else
        w_.element(value);
    }
    w_.end_array();
  }
  template <class T>
  void array(const result::Key& key, const std::vector<T>& values, const auto& each) {
    w_.begin_array(key.name);
    for (const auto& value : values) {
      w_.begin_object();
      each(value);
      w_.end_object();
    }
    w_.end_array();
  }
  void write_latency(const result::Key& key, const auto& latency, const std::vector<double>& percentiles) {
    group(key, [&](JsonFields& in) { walk_latency(in, latency, percentiles); });
  }

  JsonWriter& w_;
  bool exact_;
  bool same_in_all_ = false;
};

}  // namespace fathom::report::parts
