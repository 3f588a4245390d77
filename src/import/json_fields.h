// Reads the fields of result/run_fields.h from a JSON tree. Every field of the file's schema must be present; newer
// fields keep their defaults. The file is not trusted: a number must fit its type, a key must be unique, and a
// histogram's counts must add up to its number of samples.
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

#include "import/json_tree.h"
#include "result/run_fields.h"

namespace fathom::import {

// How a file marks a missing value: null in a run, absent in a document of another command or program.
enum class Unknown { null, absent };

// Errors of one document: the first error, and the first missing field.
class JsonDocument {
 public:
  explicit JsonDocument(const JsonTree& tree, Unknown unknown, int schema = result::kSchemaVersion)
      : tree_(tree), unknown_(unknown), schema_(schema) {}

  bool strict() const { return unknown_ == Unknown::null; }
  void fail(const JsonNode& at, std::string what, std::string cause) {
    if (!error_) error_ = tree_.error(at.offset, std::move(what), std::move(cause));
  }
  bool failed() const { return error_.has_value(); }
  const base::Error& error() const { return *error_; }
  void lacks(const JsonNode& at, const result::Key& key) {
    if (key.since > schema_) return;
    if (lacking_.empty()) lacking_ = key.name;
    if (strict())
      fail(at, fmt::format("no \"{}\" in \"{}\"", key.name, at.name), "a damaged file, or one from another program");
  }
  const std::string& lacking() const { return lacking_; }  // empty: none

 private:
  const JsonTree& tree_;
  Unknown unknown_;
  int schema_;
  std::optional<base::Error> error_;
  std::string lacking_;
};

// Sets the sums of moments that have this mean and deviation.
void set_sums(stats::Moments& moments, double mean, double stddev);

class JsonReader {
 public:
  using Kind = JsonNode::Kind;
  JsonReader(JsonDocument& in, const JsonNode& at) : in_(in), at_(&at) {
    if (!at.is(Kind::object)) wrong(at, "an object");
    if (at.twice != 0)
      in_.fail(at.children[at.twice], fmt::format("\"{:.40}\" stands twice", at.children[at.twice].name),
               "a damaged file");
  }

  template <class... Value>
  void attribute(const result::Key& key, Value&&... value) {
    field(key, std::forward<Value>(value)...);
  }
  template <class T>
  void field(const result::Key& key, T& value) {
    if (const auto* node = need(key)) read(*node, value);
  }
  template <class Enum>
  void field(const result::Key& key, Enum& value, Enum last) {
    const auto* node = need(key);
    if (!node) return;
    for (int i = 0; i <= static_cast<int>(last); ++i)
      if (node->is(Kind::text) && node->text == name(static_cast<Enum>(i))) return void(value = static_cast<Enum>(i));
    in_.fail(*node, fmt::format("\"{}\" has an unknown value", key.name), fmt::format("it is {}", shown(*node)));
  }
  template <class T>
  void known(const result::Key& key, T& value) {
    const auto* node = need(key);
    if (node && node->is(Kind::null))
      value = T{};
    else if (node)
      read(*node, value);
  }
  template <class Number>
  void maybe(const result::Key& key, std::optional<Number>& value) {
    const auto* node = find(key.name);
    if (!node && in_.strict()) return void(need(key));
    if (node && !node->is(Kind::null)) read(*node, value.emplace());
  }
  static void derived(const result::Key&, const auto&) {}
  static void derived_list(const result::Key&, const auto&) {}
  static void derived_texts(const result::Key&, const auto&) {}
  bool present(const char* name, bool& known) { return known = there(name, false); }
  template <class T>
  bool present(const char* name, std::optional<T>& part) {
    if (there(name, false)) part.emplace();
    return part.has_value();
  }
  bool there(const char* name, bool) { return find(name) != nullptr; }
  bool there_in_xml(const char*, bool) { return true; }
  template <class T, class... Context>
  void part(const result::Key& key, T& value, const Context&... context) {
    group(key, [&](JsonReader& in) { walk(in, value, context...); });
  }
  void group(const result::Key& key, const auto& function) {
    const auto* node = need(key);
    if (!node || in_.failed()) return;
    JsonReader in = inner(*node);
    if (!in_.failed()) function(in);
  }
  template <class T, class... Context>
  void list(const result::Key& key, const char* /*each*/, std::vector<T>& values, const Context&... context) {
    array(key, [&](const JsonNode& node) {
      JsonReader in = inner(node);
      values.emplace_back();
      if (!in_.failed()) walk(in, values.back(), context...);
    });
  }
  void texts(const result::Key& key, std::vector<std::string>& values) {
    array(key, [&](const JsonNode& node) { read(node, values.emplace_back()); });
  }
  template <class Number>
  void numbers(const result::Key& key, std::vector<Number>& values) {
    values.clear();
    array(key, [&](const JsonNode& node) { read(node, values.emplace_back()); });
  }
  // For an array of fixed size.
  void numbers(const result::Key& key, auto& values) {
    std::size_t index = 0;
    const auto* list = array(key, [&](const JsonNode& node) {
      if (index < std::size(values)) read(node, values[index]);
      ++index;
    });
    if (list && index != std::size(values))
      in_.fail(*list, fmt::format("\"{}\" has {} numbers", key.name, index),
               fmt::format("{} belong there", std::size(values)));
  }
  // A duplicate key gives two entries.
  void pairs(const result::Key& key, const char*, std::vector<std::pair<std::string, std::string>>& values) {
    const auto* node = need(key);
    if (node && !node->is(Kind::object)) return wrong(*node, "an object");
    for (std::size_t i = 0; node && i < node->children.size(); ++i)
      read(node->children[i], values.emplace_back(node->children[i].name, "").second);
  }
  template <class Number>
  void counts(const result::Key& key, const char*, std::map<std::string, Number>& values) {
    group(key, [&](JsonReader& in) {
      for (const auto& node : in.at_->children) in.read(node, values[std::string(node.name)]);
    });
  }
  void spread(std::size_t, double& low, double& high) {
    const bool interval = there("ci95_low", false);
    field(interval ? "ci95_low" : "range_low", low);
    field(interval ? "ci95_high" : "range_high", high);
  }

  void wide(const result::Key& key, unsigned __int128& value);
  template <class L>
  void percentile_table(const result::Key& key, L& latency, const std::vector<double>&) {
    if (find(key.name)) stored_percentiles(key, latency.percentiles_ns);
  }
  // Input: an object with percentiles as keys.
  void stored_percentiles(const result::Key& key, stats::PercentileTable& table);
  // Input: pairs, or an object with the values as keys (schema 14, fio's).
  void histogram(const result::Key& key, stats::Histogram& histogram);
  template <class L>
  void latency(const result::Key& key, L& latency, const std::vector<double>& percentiles) {
    if (find(key.name)) read_latency(key, latency, percentiles);
  }
  void part_latency(const result::Key& key, result::PartLatency& part, const std::vector<double>& percentiles) {
    part.covered = find(key.name) != nullptr;
    if (part.covered) read_latency(key, part, percentiles);
  }
  void common(result::Job& job) {
    if (!every_job_) return walk_common(*this, job);
    JsonReader in = inner(*every_job_);
    walk_common(in, job);
  }
  void every_job(const result::Run&) { every_job_ = find(result::kEveryJob.name); }
  void jobs(const result::Key& key, std::vector<result::Job>& jobs) { list(key, "job", jobs); }
  void repetitions(const result::Key& key, std::vector<result::Run>& runs, const result::Run& whole);

 private:
  JsonReader inner(const JsonNode& node) {
    JsonReader in(in_, node);
    in.every_job_ = every_job_;
    return in;
  }
  const JsonNode* find(const char* name);
  const JsonNode* need(const result::Key& key) {
    const auto* node = find(key.name);
    if (!node) in_.lacks(*at_, key);
    return node;
  }
  template <class Each>
  const JsonNode* array(const result::Key& key, const Each& each) {
    const auto* node = need(key);
    if (!node) return nullptr;
    if (!node->is(Kind::array)) return wrong(*node, "an array"), nullptr;
    for (const auto& child : node->children) {
      if (in_.failed()) return nullptr;
      each(child);
    }
    return node;
  }
  template <class L>
  void read_latency(const result::Key& key, L& latency, const std::vector<double>& percentiles) {
    group(key, [&](JsonReader& in) {
      walk_latency(in, latency, percentiles);
      const auto total = latency.histogram_ns.total();
      if (total != 0) latency.percentiles_ns.clear();
      if (total != 0 && total != latency.moments_ns.n)
        in_.fail(*in.at_,
                 fmt::format("the counts of \"{}\" add up to {}, not to its {}", key.name, total, latency.moments_ns.n),
                 "a damaged file");
    });
  }
  void read(const JsonNode& node, std::string& value) {
    if (!node.is(Kind::text)) return wrong(node, "a text");
    value = node.text;
  }
  void read(const JsonNode& node, bool& value) {
    if (!node.is(Kind::boolean)) return wrong(node, "true or false");
    value = node.boolean;
  }
  void read(const JsonNode& node, double& value);
  template <std::integral T>
  void read(const JsonNode& node, T& value) {
    const bool fits = node.is(Kind::count)
                          ? node.count <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())
                          : std::is_signed_v<T> && node.is(Kind::integer) &&
                                node.integer >= static_cast<std::int64_t>(std::numeric_limits<T>::min());
    if (!fits)
      return wrong(node, fmt::format("a whole number from {} to {}", std::numeric_limits<T>::min(),
                                     std::numeric_limits<T>::max()));
    value = node.is(Kind::count) ? static_cast<T>(node.count) : static_cast<T>(node.integer);
  }
  struct Bin {
    std::uint64_t value = 0, count = 0;
  };
  Bin bin_of(const JsonNode& node);
  static std::string shown(const JsonNode& node);
  void wrong(const JsonNode& node, const std::string& wanted);

  JsonDocument& in_;
  const JsonNode* at_;
  const JsonNode* every_job_ = nullptr;
  std::size_t next_ = 0;  // next expected field; fields usually come in order
};

}  // namespace fathom::import
