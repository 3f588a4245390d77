// The table of names. Names of cache events are combinations: cache, then operation.
#include "pmu/events/event_names.h"

#include <linux/perf_event.h>

#include <algorithm>

namespace fathom::pmu::events {
namespace {

struct Row {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t config;
};
constexpr Row kRows[] = {
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
    {"cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
};

struct Cache {
  std::string_view name;
  std::uint64_t id;
};
constexpr Cache kCaches[] = {
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I}, {"LLC", PERF_COUNT_HW_CACHE_LL},
    {"dTLB", PERF_COUNT_HW_CACHE_DTLB},     {"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
    {"node", PERF_COUNT_HW_CACHE_NODE},
};

struct Action {
  std::string_view name;
  std::uint64_t operation, result;
};
constexpr Action kActions[] = {
    {"-loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    {"-load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS},
    {"-stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    {"-store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS},
    {"-prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    {"-prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS},
};

std::optional<GenericEvent> cache_event(std::string_view name) {
  for (const auto& cache : kCaches) {
    if (!name.starts_with(cache.name)) continue;
    for (const auto& action : kActions)
      if (name.substr(cache.name.size()) == action.name)
        return GenericEvent{PERF_TYPE_HW_CACHE, cache.id | action.operation << 8 | action.result << 16, "hw_cache", 1,
                            ""};
  }
  return std::nullopt;
}

}  // namespace

std::optional<GenericEvent> generic_event(std::string_view name) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == name; });
  if (row == std::end(kRows)) return cache_event(name);
  const std::string_view pmu = row->type == PERF_TYPE_SOFTWARE ? "software" : "hardware";
  if (name.ends_with("-clock")) return GenericEvent{row->type, row->config, pmu, 1e-6, "msec"};
  return GenericEvent{row->type, row->config, pmu, 1, ""};
}

std::string default_events(bool of_cpus, bool stalls) {
  return std::string(of_cpus ? "cpu-clock" : "task-clock") + ",context-switches,cpu-migrations,page-faults,cycles," +
         (stalls ? "stalled-cycles-frontend,stalled-cycles-backend," : "") + "instructions,branches,branch-misses";
}

std::string detailed_events(unsigned detail) {
  constexpr std::string_view kAdded[] = {
      "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
      "L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
      "L1-dcache-prefetches,L1-dcache-prefetch-misses"};
  std::string all;
  for (unsigned i = 0; i < detail && i < std::size(kAdded); ++i) all.append(i == 0 ? "" : ",").append(kAdded[i]);
  return all;
}

std::vector<std::string> generic_names() {
  std::vector<std::string> names;
  for (const auto& row : kRows) names.emplace_back(row.name);
  for (const auto& cache : kCaches)
    for (const auto& action : kActions) names.push_back(std::string(cache.name) + std::string(action.name));
  return names;
}

}  // namespace fathom::pmu::events
