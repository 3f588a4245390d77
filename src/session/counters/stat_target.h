// The target of `fathom pmu stat`: the command, the machine, some of its CPUs (-C), processes (-p) or threads (-t).
// Reads /proc and the list of online CPUs; keeps no state. Errors: ErrorKind::usage, with the wrong part of a list and
// the values that exist. Thread-safe.
#pragma once
#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "pmu/events/event.h"
#include "result/commands/pmu_stat.h"

namespace fathom::session::counters {

struct TargetPlan {
  bool all_cpus = false;
  std::string processes, threads, cpus;  // lists of numbers, as written; empty: not requested
};

struct Target {
  std::vector<pid_t> tasks;  // for -p: all current threads of the processes
  std::vector<int> cpus;     // for -C, in rising order; empty: none named
  std::optional<result::PmuTarget> shown;
  std::vector<std::string> notes;
};

base::Expected<Target> target_of(const TargetPlan& plan);

// A sentence for each PMU that lost all its events, because it counts on no CPU of -C.
std::vector<std::string> dropped_notes(std::span<const pmu::events::Event> named,
                                       std::span<const pmu::events::Event> placed);
// ErrorKind::usage: no event is left.
base::Error nothing_on(const std::string& cpus, const pmu::events::Event& event);

}  // namespace fathom::session::counters
