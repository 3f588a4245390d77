// Selects the CPUs on which events count, and groups them for display: perf's -C, -A and --per-*. Reads the topology
// below `prefix`/sys; a missing file means number 0, as in perf.
// Source: perf-stat(1), Documentation/admin-guide/cputopology.rst. No errors. Thread-safe.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "pmu/events/event.h"

namespace fathom::pmu::events {

enum class Together { all, cpu, core, die, socket };

std::vector<int> online_cpus(const std::string& prefix = "");  // rising

// The events with the CPUs to open them on: those of `cpus` (rising) that their PMU counts on. If CPUs are shown
// separately, an event becomes one event per place, with a separate mention and group. CPUs are ordered by event,
// larger places one after the other. An event without a remaining CPU is dropped.
std::vector<Event> on_cpus(std::span<const Event> events, std::span<const int> cpus, Together together,
                           const std::string& prefix = "");

}  // namespace fathom::pmu::events
