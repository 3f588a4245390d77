// Names of events that belong to no PMU of sysfs: the kernel's own software events, and the generic hardware ones.
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

}  // namespace fathom::pmu::events
