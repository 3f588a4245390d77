// Writes the fields of result/run_fields.h as JSON: fathom's half of a result file, in the newest schema or in the one
// before. In schema 7 `json` leaves out what `json+` has, and so have members of a group and repetitions; from 8 on
// both are the same.
#pragma once
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/parts/fio_json_latency.h"
#include "report/parts/json_writer.h"
#include "result/lacks.h"
#include "result/run_fields.h"
#include "result/sums/percentiles.h"

namespace fathom::report::parts {

class JsonFields {
 public:
  // lacks: as Run has it.
  JsonFields(JsonWriter& w, int schema, bool bins, const std::vector<std::string>& lacks = {})
      : w_(w), schema_(schema), detail_{bins, bins, true}, lacks_(lacks.begin(), lacks.end()) {}

  int schema() const { return schema_; }

  template <class... Value>
  void attribute(const result::Key& key, const Value&... value) {
    field(key, value...);
  }
  template <class T>
  void field(const result::Key& key, const T& value) {
    if (wanted(key)) number_or_text(key.name, value);
  }
  template <class Enum>
  void field(const result::Key& key, Enum value, Enum /*last*/) {
    if (wanted(key)) w_.field(key.name, name(value));
  }
  template <class T>
  void known(const result::Key& key, const T& value) {
    if (!wanted(key)) return;
    schema_ != 7 && value == T{} ? w_.null(key.name) : number_or_text(key.name, value);
  }
  template <class Number>
  void maybe(const result::Key& key, const std::optional<Number>& value) {
    if (value) return field(key, *value);
    if (schema_ != 7 && wanted(key)) w_.null(key.name);
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
    if (!wanted(key)) return;
    const result::KeyPath::Inside inside(path_, key.name, false);
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

  void wide(const result::Key& key, unsigned __int128 value) {
    if (wanted(key)) w_.field(key.name, fmt::format("{}", value));
  }
  void percentile_table(const result::Key& key, const auto& latency, const std::vector<double>& list) {
    const auto table = percentiles_of(latency, list);
    if (!table.empty()) write_percentiles(w_, key.name, table);
  }
  void histogram(const result::Key& key, const stats::Histogram& histogram) {
    if (wanted(key) && !histogram.empty()) write_bins(w_, key.name, histogram);
  }
  bool series() const { return schema_ != 7 || detail_.series; }
  void latency(const result::Key& key, const auto& latency, const std::vector<double>& percentiles,
               result::Where where) {
    const bool left_out = schema_ == 7 && where == result::Where::fio_too && !detail_.latencies;
    if (latency.moments_ns.n > 0 && !left_out) write_latency(key, latency, percentiles, where);
  }
  void part_latency(const result::Key& key, const result::PartLatency& part, const std::vector<double>& percentiles) {
    if (part.covered && (schema_ != 7 || part.moments_ns.n > 0))
      write_latency(key, part, percentiles, result::Where::ours);
  }
  void common(const result::Job& job) {
    if (!same_in_all_) walk_common(*this, job);
  }
  void every_job(const result::Run& run);
  void jobs(const result::Key& key, const std::vector<result::Job>& jobs, result::Whose whose);
  void repetitions(const result::Key& key, const std::vector<result::Run>& runs, const result::Run& whole) {
    const Detail outer = detail_;
    detail_.histograms = true;
    array(key, runs, [&](const result::Run& run) { walk_repetition(*this, run, whole); });
    detail_ = outer;
  }

 private:
  struct Detail {
    bool latencies, histograms, series;
  };

  template <class T>
  void number_or_text(std::string_view name, const T& value) {
    if constexpr (std::is_same_v<T, double>)
      if (schema_ != 7) return w_.exact(name, value);
    w_.field(name, value);
  }
  void elements(const result::Key& key, const auto& values) {
    if (!wanted(key)) return;
    w_.begin_array(key.name);
    for (const auto& value : values) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
        schema_ != 7 ? w_.exact_element(value) : w_.element(value);
      else
        w_.element(value);
    }
    w_.end_array();
  }
  template <class T>
  void array(const result::Key& key, const std::vector<T>& values, const auto& each) {
    if (!wanted(key)) return;
    const result::KeyPath::Inside inside(path_, key.name, true);
    w_.begin_array(key.name);
    for (const auto& value : values) {
      w_.begin_object();
      each(value);
      w_.end_object();
    }
    w_.end_array();
  }
  void write_latency(const result::Key& key, const auto& latency, const std::vector<double>& percentiles,
                     result::Where where) {
    const bool bins = schema_ != 7 || where == result::Where::whole || detail_.histograms;
    group(key, [&](JsonFields& in) { walk_latency(in, latency, percentiles, bins); });
  }

  // What an older file does not say is null; schema 7 has no null, and is without it.
  bool wanted(const result::Key& key) {
    if (!key.in(schema_)) return false;
    if (lacks_.empty() || !lacks_.contains(path_.of(key.name))) return true;
    if (schema_ != 7) w_.null(key.name);
    return false;
  }

  JsonWriter& w_;
  int schema_;
  Detail detail_;
  std::set<std::string> lacks_;
  result::KeyPath path_;
  bool same_in_all_ = false;
};

}  // namespace fathom::report::parts
