// Lists become numbers, and each number is checked. On an offline CPU, perf counts nothing and reports no error.
#include "session/counters/stat_target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/system/cpu_list.h"
#include "base/text/parse.h"
#include "host/proc/text_file.h"
#include "pmu/events/places.h"

namespace fathom::session::counters {
namespace {

base::Error wrong_target(std::string what, std::string cause, std::string help) {
  base::Error error;
  error.kind = base::ErrorKind::usage;
  error.what = std::move(what);
  error.cause = std::move(cause);
  error.help = std::move(help);
  return error;
}

// For -t the task itself, for -p the threads of its process.
base::Expected<std::vector<pid_t>> tasks_of(std::string_view number, bool process) {
  const std::string option = fmt::format("-{} {}", process ? 'p' : 't', number);
  const auto task = base::text::parse_int(number);
  if (!task || *task < 1 || *task > INT32_MAX)
    return wrong_target(option + ": not a number of a " + (process ? "process" : "thread"), "",
                        "write numbers separated by commas: 4711,4712");
  if (::access(fmt::format("/proc/{}", *task).c_str(), F_OK) != 0)
    return wrong_target(option + (process ? ": no such process" : ": no such thread"), "", "`ps -eL` shows them");
  if (!process) return std::vector{static_cast<pid_t>(*task)};
  std::vector<pid_t> threads;
  for (const auto& name : host::proc::list_names(fmt::format("/proc/{}/task", *task)))
    if (const auto thread = base::text::parse_int(name)) threads.push_back(static_cast<pid_t>(*thread));
  if (threads.empty()) return wrong_target(option + ": the process has ended", "", "`ps -eL` lists running threads");
  return threads;
}

base::Expected<std::vector<pid_t>> listed_tasks(std::string_view list, bool processes) {
  std::vector<pid_t> all;
  while (true) {
    const std::size_t comma = list.find(',');
    const auto found = tasks_of(base::text::trim(list.substr(0, comma)), processes);
    if (!found) return found.error();
    for (const pid_t task : *found)
      if (std::find(all.begin(), all.end(), task) == all.end()) all.push_back(task);
    if (comma == std::string_view::npos) return all;
    list.remove_prefix(comma + 1);
  }
}

base::Expected<std::vector<int>> listed_cpus(const std::string& text) {
  const auto list = base::system::parse_cpu_list(text);
  if (!list.ok())
    return wrong_target(fmt::format("-C {}: `{}` is not a list of CPUs", text, list.wrong), list.cause,
                        "write numbers and ranges: 0,2-3");
  const auto online = pmu::events::online_cpus();
  for (const int cpu : list.sorted())
    if (!std::binary_search(online.begin(), online.end(), cpu))
      return wrong_target(fmt::format("-C {}: CPU {} is not online", text, cpu), "",
                          fmt::format("choose from the online CPUs: {}", base::system::cpu_list_text(online)));
  return list.sorted();
}

}  // namespace

base::Expected<Target> target_of(const TargetPlan& plan) {
  Target target;
  const bool processes = !plan.processes.empty();
  if (processes || !plan.threads.empty()) {
    const std::string& list = processes ? plan.processes : plan.threads;
    auto tasks = listed_tasks(list, processes);
    if (!tasks) return tasks.error();
    target.tasks = std::move(*tasks);
    target.shown = {processes ? result::PmuTargetKind::processes : result::PmuTargetKind::threads, list};
    if (plan.all_cpus || !plan.cpus.empty())
      target.notes.push_back("-p and -t count tasks wherever they run: -a and -C have no effect");
    return target;
  }
  if (plan.cpus.empty()) return target;
  auto cpus = listed_cpus(plan.cpus);
  if (!cpus) return cpus.error();
  target.cpus = std::move(*cpus);
  target.shown = {result::PmuTargetKind::cpus, plan.cpus};
  return target;
}

std::vector<std::string> dropped_notes(std::span<const pmu::events::Event> named,
                                       std::span<const pmu::events::Event> placed) {
  std::set<std::string> left, told;
  for (const auto& event : placed) left.insert(event.pmu);
  std::vector<std::string> notes;
  for (const auto& event : named)
    if (left.count(event.pmu) == 0 && told.insert(event.pmu).second)
      notes.push_back(fmt::format("{} counts only on CPU {}, outside -C: its events are omitted", event.pmu,
                                  base::system::cpu_list_text(event.cpus)));
  return notes;
}

base::Error nothing_on(const std::string& cpus, const pmu::events::Event& event) {
  const std::string list = base::system::cpu_list_text(event.cpus);
  return wrong_target(fmt::format("-C {}: no event is counted on these CPUs", cpus),
                      fmt::format("{} counts only on CPU {}", event.pmu, list), "-C " + list + ", or -a");
}

}  // namespace fathom::session::counters
