// What result/fields.h lists is walked; jobs, disks and the breakdown, which our XML does not have, are named here.
// tests/report/shown_test.cc fills every string of a result and looks for what got through.
#include "report/shown.h"

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "result/paging_fields.h"

namespace fathom::report {
namespace {

void show(std::string& text) { text = base::printable(text); }
void show(std::vector<std::string>& texts) {
  for (auto& text : texts) show(text);
}
void show(std::vector<std::pair<std::string, std::string>>& pairs) {
  for (auto& [name, value] : pairs) show(name), show(value);
}

// A walker as result/fields.h describes it: texts are made harmless, numbers passed by.
class Shower {
 public:
  void attribute(const char*, std::string& text) { show(text); }
  template <class T>
  void attribute(const char*, T&, T) {}
  void field(const char*, std::string& text) { show(text); }
  template <class T>
  void field(const char*, T&) {}
  template <class T>
  void field(const char*, T&, T) {}
  static bool present(const char*, bool known) { return known; }
  template <class T>
  static bool present(const char*, const std::optional<T>& part) {
    return part.has_value();
  }
  template <class T>
  void part(const char*, T& value) {
    walk(*this, value);
  }
  template <class T>
  void list(const char*, const char*, std::vector<T>& values) {
    for (auto& value : values) walk(*this, value);
  }
  void texts(const char*, std::vector<std::string>& values) { show(values); }
  void pairs(const char*, const char*, std::vector<std::pair<std::string, std::string>>& values) { show(values); }
  template <class Number>
  void counts(const char*, const char*, std::map<std::string, Number>& values) {
    std::map<std::string, Number> harmless;
    for (const auto& [name, value] : values) harmless[base::printable(name)] = value;
    values = std::move(harmless);
  }
  template <class Number>
  void numbers(const char*, std::vector<Number>&) {}
  template <class T>
  void latency(const char*, T&) {}
  template <class T>
  void classes(const char*, T&) {}
  template <class T>
  void series(const char*, T&) {}
};

template <class T>
void show_all(std::vector<T>& values) {
  Shower shower;
  for (auto& value : values) walk(shower, value);
}

void show(result::Job& job) {
  for (auto* text :
       {&job.name, &job.description, &job.engine, &job.rw, &job.stamps.placement, &job.clock.source, &job.clock.verdict,
        &job.clock.calibration, &job.clock.test, &job.clock.cpus_tested, &job.clock.reason})
    show(*text);
  show(job.options);
  show_all(job.errors);
  if (!job.queue) return;
  show(job.queue->sq_copy);
  for (auto& device : job.queue->devices)
    for (auto* text : {&device.name, &device.model, &device.serial, &device.firmware}) show(*text);
}

void show(result::Disk& disk) {
  show(disk.name);
  for (auto& member : disk.members) show(member);
}

void show(result::Breakdown& breakdown) {
  for (auto* text : {&breakdown.cause, &breakdown.events_by, &breakdown.not_programs}) show(*text);
  show(breakdown.tracepoints);
  show(breakdown.devices);
  for (auto& of : breakdown.classes) show(of.job), show(of.direction);
}

}  // namespace

result::Run shown(const result::Run& run) {
  result::Run out = run;
  out.repetitions.clear();
  Shower shower;
  walk(shower, out.program);
  walk(shower, out.host);
  show(out.global_options);
  for (auto& job : out.jobs) show(job);
  for (auto& job : out.group_members) show(job);
  for (auto& layout : out.layouts) show(layout.job);
  for (auto& disk : out.disks) show(disk);
  show_all(out.findings);
  show_all(out.errors);
  show_all(out.repeated);
  if (out.audit) walk(shower, *out.audit);
  if (out.breakdown) show(*out.breakdown);
  if (out.paging) walk(shower, *out.paging);
  return out;
}

}  // namespace fathom::report
