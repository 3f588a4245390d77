// All of a result is walked, by the list that its files are written by. tests/report/shown_test.cc fills every string
// of a result and looks for what got through.
#include "report/shown.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "result/run_fields.h"

namespace fathom::report {
namespace {

void show(std::string& text) { text = base::printable(text); }

// A walker as result/fields.h describes it: texts are made harmless, numbers passed by.
class Shower {
 public:
  static int schema() { return 0; }
  void attribute(const char*, std::string& text) { show(text); }
  template <class T>
  void attribute(const char*, T&, T) {}
  void field(const char*, std::string& text) { show(text); }
  template <class T>
  void field(const char*, T&) {}
  template <class T>
  void field(const char*, T&, T) {}
  void known(const char*, auto&) {}
  void maybe(const char*, auto&) {}
  void wide(const char*, auto&) {}
  void derived(const char*, const auto&) {}
  void derived_list(const char*, const auto&) {}
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
    for (auto& text : values) show(text);
  }
  void numbers(const char*, auto&) {}
  void pairs(const char*, const char*, std::vector<std::pair<std::string, std::string>>& values) {
    for (auto& [name, value] : values) show(name), show(value);
  }
  template <class Number>
  void counts(const char*, const char*, std::map<std::string, Number>& values) {
    std::map<std::string, Number> harmless;
    for (const auto& [name, value] : values) harmless[base::printable(name)] = value;
    values = std::move(harmless);
  }
  void spread(std::size_t, double, double) {}
  static bool series() { return false; }
  template <class... Context>
  void latency(const char*, auto&, const Context&...) {}
  template <class... Context>
  void part_latency(const char*, auto&, const Context&...) {}
  void common(result::Job& job) { walk_common(*this, job); }
  void every_job(result::Run&) {}
  void jobs(const char* key, std::vector<result::Job>& jobs, result::Whose) { list(key, "job", jobs); }
  void repetitions(const char*, auto&, const auto&) {}
};

}  // namespace

result::Run shown(const result::Run& run) {
  result::Run out = run;
  out.repetitions.clear();
  Shower shower;
  walk(shower, out);
  return out;
}

}  // namespace fathom::report
