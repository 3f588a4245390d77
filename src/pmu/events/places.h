// On which CPUs events count, and which of these CPUs are shown together: perf's -C, -A and --per-*. Reads the topology
// below `prefix`/sys; a file that is missing means number 0, as perf has it. Source: perf-stat(1),
// Documentation/admin-guide/cputopology.rst. No errors. Thread-safe.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "pmu/events/event.h"

namespace fathom::pmu::events {

enum class Together { all, cpu, core, die, socket };

std::vector<int> online_cpus(const std::string& prefix = "");  // rising

// The events with the CPUs they are opened on: those of `cpus` (rising) that their PMU counts on. Where CPUs are shown
// apart, an event becomes one of each place, with a mention and a group of its own: CPUs of an event by event, larger
// places one after the other. An event that is left with no CPU is dropped.
std::vector<Event> on_cpus(std::span<const Event> events, std::span<const int> cpus, Together together,
                           const std::string& prefix = "");

}  // namespace fathom::pmu::events
