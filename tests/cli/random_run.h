// A result in which every field has a value of its own, drawn at random: a walker as result/fields.h describes it. What
// a run cannot have is not drawn: histograms add up to their moments, and a list of percentiles rises.
#pragma once
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "result/run_fields.h"

namespace fathom::cli {

class RandomFields {
 public:
  explicit RandomFields(std::uint64_t seed) : random_(seed) {}

  template <class... Value>
  void attribute(const char* name, Value&&... value) {
    field(name, std::forward<Value>(value)...);
  }
  void field(const char*, std::string& text) {
    constexpr const char* kTexts[] = {"",         "vda", "a \"b\" \\ c\n\t\x1b", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
                                      "\xC2\x9B", "0"};
    text = std::string(kTexts[below(std::size(kTexts))]) + std::to_string(below(1000));
  }
  void field(const char* name, double& value) {
    const std::string key = name;
    constexpr double kValues[] = {0,    -0.0, 1, -1.5, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.123456789,
                                  1e15, 1e22};
    value = kValues[below(std::size(kValues))];
    if (key == "read_percent" || key == "duration_s") value = static_cast<double>(below(1000)) / 10;
  }
  void field(const char*, bool& value) { value = below(2) == 1; }
  template <std::integral T>
  void field(const char*, T& value) {
    const bool small = std::is_same_v<T, int>;  // threads and CPUs are counted with these
    constexpr T kMost = std::numeric_limits<T>::max();
    const T values[] = {0, 1, static_cast<T>(below(100'000)), small ? static_cast<T>(1 << 20) : kMost,
                        small || std::is_unsigned_v<T> ? T{7} : std::numeric_limits<T>::min()};
    value = values[below(std::size(values))];
  }
  template <class Enum>
  void field(const char*, Enum& value, Enum last) {
    value = static_cast<Enum>(below(static_cast<std::uint64_t>(last) + 1));
  }
  template <class T>
  void known(const char* name, T& value) {
    field(name, value);
    if (value == T{}) value = T{};  // -0.0 is not known either
  }
  template <class Number>
  void maybe(const char* name, std::optional<Number>& value) {
    if (present(name, value)) field(name, *value);
  }
  static void derived(const char*, const auto&) {}
  static void derived_list(const char*, const auto&) {}
  static void derived_texts(const char*, const auto&) {}
  bool present(const char*, bool& known) { return known = below(4) != 0; }
  template <class T>
  bool present(const char*, std::optional<T>& part) {
    part.reset();
    if (below(4) != 0) part.emplace();
    return part.has_value();
  }
  bool there(const char*, bool) { return below(4) != 0; }
  static bool there_in_xml(const char*, bool) { return true; }
  template <class T, class... Context>
  void part(const char*, T& value, const Context&... context) {
    walk(*this, value, context...);
  }
  void group(const char*, const auto& function) { function(*this); }
  template <class T, class... Context>
  void list(const char*, const char*, std::vector<T>& values, const Context&... context) {
    if (++depth_ > 3 && std::is_same_v<T, result::Disk>) return void(--depth_);
    values.clear();  // of a copy: nothing is left where a part is not drawn again
    values.resize(below(4));
    for (auto& value : values) walk(*this, value, context...);
    --depth_;
  }
  void list(const char*, const char*, std::vector<result::SizeShare>& rows, std::uint64_t) {
    rows.clear();
    for (std::uint64_t i = 0; i < below(3); ++i)
      rows.push_back({std::uint64_t{512} << i, std::uint64_t{4096} << i, 50, below(100)});
    if (below(2) == 0) rows.push_back({0, 0, 0, 1 + below(100)});
  }
  void list(const char* name, const char*, std::vector<result::AccessClassRow>& rows, const stats::Moments&) {
    rows.clear();
    for (std::size_t c = 0; c < result::kAccessClasses; ++c)
      for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
        rows.push_back({static_cast<result::AccessClass>(c), static_cast<result::AccessDir>(d), {}});
        fill(rows.back().latency);
      }
    (void)name;
  }
  void texts(const char* name, std::vector<std::string>& values) {
    values.resize(below(3));
    for (auto& text : values) field(name, text);
  }
  template <class Number>
  void numbers(const char* name, std::vector<Number>& values) {
    values.resize(below(4));
    for (auto& value : values) field(name, value);
    if (std::string(name) == "percentile_list")
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Number>(50 + i * 9 + 0.5 / 3);
  }
  void numbers(const char* name, auto& values) {
    for (auto& value : values) field(name, value);
  }
  void pairs(const char* name, const char*, std::vector<std::pair<std::string, std::string>>& values) {
    values.resize(below(3));
    for (auto& [key, value] : values) field(name, key), field(name, value);
  }
  template <class Number>
  void counts(const char* name, const char*, std::map<std::string, Number>& values) {
    std::string key;
    for (auto left = below(3); left > 0; --left) field(name, key), field(name, values[key]);
  }
  void spread(std::size_t, double& low, double& high) { field("low", low), field("high", high); }
  void histogram(const char*, stats::Histogram& histogram) {
    result::Latency drawn;
    fill(drawn);
    histogram = std::move(drawn.histogram_ns);
  }
  template <class... Context>
  void latency(const char*, auto& latency, const Context&...) {
    fill(latency);
  }
  template <class... Context>
  void part_latency(const char*, result::PartLatency& part, const Context&...) {
    part.covered = below(3) != 0;
    if (part.covered) fill(part);
  }
  void common(result::Job& job) {
    if (!same_in_all_) same_in_all_.emplace(), walk_common(*this, *same_in_all_);
    if (below(8) == 0) return walk_common(*this, job);  // one that differs
    const auto& same = *same_in_all_;
    job.clock = same.clock;
    job.percentile_list = same.percentile_list;
    job.slat_percentiles = same.slat_percentiles;
    job.clat_percentiles = same.clat_percentiles;
    job.lat_percentiles = same.lat_percentiles;
    job.unified = same.unified;
  }
  static void every_job(const result::Run&) {}
  void jobs(const char* key, std::vector<result::Job>& jobs) { list(key, "job", jobs); }
  void repetitions(const char*, std::vector<result::Run>& runs, const result::Run& whole) {
    std::vector<result::Run> made;
    for (auto left = below(3); left > 0; --left) walk_repetition(*this, made.emplace_back(), whole);
    if (!made.empty() && below(2) == 0) {  // the one that is shown
      made[0].jobs = whole.jobs;
      made[0].group_members = whole.group_members;
      made[0].paging = whole.paging;
      if (whole.paging) field("score", made[0].paging->score.accesses_per_s);
    }
    runs = std::move(made);
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  void fill(auto& latency) {
    const bool percentiles = below(4) != 0;
    latency.moments_ns = {}, latency.histogram_ns = {};
    for (auto left = below(5); left > 0; --left) {
      const std::uint64_t ns = random_() >> (20 + below(44)), times = 1 + below(1000);
      latency.moments_ns.add_many(ns, times);
      if (percentiles) latency.histogram_ns.add(ns, times);
    }
  }

  std::mt19937_64 random_;
  std::optional<result::Job> same_in_all_;
  int depth_ = 0;
};

inline result::Run random_run(std::uint64_t seed) {
  RandomFields fields(seed);
  result::Run run;
  walk(fields, run);
  run.schema_version = result::kSchemaVersion;
  return run;
}

}  // namespace fathom::cli
