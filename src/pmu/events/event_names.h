// Names of events without a PMU in sysfs: the kernel's own software events, and the generic hardware ones.
// Source: perf-list(1), linux/perf_event.h. Thread rule: constant.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::pmu::events {

struct GenericEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::string_view pmu;  // "software", "hardware", "hw_cache"
  double scale = 1;      // clocks count ns and are shown in ms, as perf does
  std::string_view unit;
};

std::optional<GenericEvent> generic_event(std::string_view name);
std::vector<std::string> generic_names();

// The events that perf stat counts by default, as text for -e. of_cpus: for CPUs, not tasks. stalls: the processor has
// events of stalled cycles.
std::string default_events(bool of_cpus, bool stalls);
// The events that each -d adds, up to 3.
std::string detailed_events(unsigned detail);

}  // namespace fathom::pmu::events
