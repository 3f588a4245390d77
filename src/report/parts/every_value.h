// A walk over a result that changes its values: it calls Change with every text, every number, and the names of counts.
// It does not change the values of counts, latencies, derived values or repetitions.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/run_fields.h"

namespace fathom::report::parts {

// A walker as defined in result/fields.h.
template <class Change>
class EveryValue {
 public:
  explicit EveryValue(Change change) : change_(std::move(change)) {}
  void attribute(const char*, auto& value) { change_(value); }
  template <class T>
  void attribute(const char*, T&, T) {}
  void field(const char*, auto& value) { change_(value); }
  template <class T>
  void field(const char*, T&, T) {}
  void known(const char*, auto& value) { change_(value); }
  void maybe(const char*, auto& value) {
    if (value) change_(*value);
  }
  void wide(const char*, auto&) {}
  void derived(const char*, const auto&) {}
  void derived_list(const char*, const auto&) {}
  void derived_texts(const char*, const auto&) {}
  static bool present(const char*, bool known) { return known; }
  template <class T>
  static bool present(const char*, const std::optional<T>& part) {
    return part.has_value();
  }
  static bool there(const char*, bool there) { return there; }
  static bool there_in_xml(const char*, bool) { return true; }
  template <class T, class... Context>
  void part(const char*, T& value, const Context&... context) {
    walk(*this, value, context...);
  }
  void group(const char*, const auto& function) { function(*this); }
  template <class T, class... Context>
  void list(const char*, const char*, std::vector<T>& values, const Context&... context) {
    for (auto& value : values) walk(*this, value, context...);
  }
  void texts(const char*, std::vector<std::string>& values) {
    for (auto& text : values) change_(text);
  }
  void numbers(const char*, auto& values) {
    for (auto& value : values) change_(value);
  }
  void pairs(const char*, const char*, std::vector<std::pair<std::string, std::string>>& values) {
    for (auto& [name, value] : values) change_(name), change_(value);
  }
  template <class Number>
  void counts(const char*, const char*, std::map<std::string, Number>& values) {
    std::map<std::string, Number> changed;
    for (auto [name, value] : values) change_(name), changed[name] = value;
    values = std::move(changed);
  }
  void spread(std::size_t, double, double) {}
  template <class... Context>
  void latency(const char*, auto&, const Context&...) {}
  template <class... Context>
  void part_latency(const char*, auto&, const Context&...) {}
  void common(result::Job& job) { walk_common(*this, job); }
  void every_job(result::Run&) {}
  void jobs(const char* key, std::vector<result::Job>& jobs) { list(key, "job", jobs); }
  void repetitions(const char*, auto&, const auto&) {}

 private:
  Change change_;
};

}  // namespace fathom::report::parts
