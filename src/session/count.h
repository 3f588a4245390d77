// One run of the command, or one window on the machine, under open counters. Thread rule: one thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/subprocess.h"
#include "pmu/counters.h"
#include "pmu/slots/slot_runner.h"

namespace fathom::session {

// How far a command is to be stopped that is only watched: the terminal gives it Ctrl-C as well, so that the first one asks nothing of it.
enum class StopLevel : std::uint32_t { none, wait, terminate, kill };

struct CountPlan {
  std::vector<pmu::events::Event> events;
  std::vector<std::string> command;  // empty: until a signal
  bool all_cpus = false;
  std::vector<pid_t> tasks;  // counted in place of the command; without one, until they have ended
  std::uint64_t interval_ms = 0;
  std::uint64_t delay_ms = 0;    // the command runs so long before it is counted
  std::uint64_t timeout_ms = 0;  // of counting: then the command gets SIGTERM; 0: none
  std::optional<pmu::slots::SlotRunnerOptions> slots;
  // Every interval, and once at the end: seconds since the start, what each event counted since then. False: nobody
  // reads it any more; the command is told to end.
  std::function<bool(double time_s, const std::vector<pmu::events::EventCount>& counts)> on_interval;
  const std::atomic<StopLevel>* stop = nullptr;
  void (*before_exec)() = nullptr;        // in the process of the command; nullptr: nothing
  const pmu::PerfCalls* calls = nullptr;  // nullptr: the kernel's
  std::string prefix;                     // before /sys, where the folder of a PMU tells that it is there
};

struct Counted {
  std::vector<pmu::events::Event> events;  // as they were opened
  std::vector<pmu::events::EventCount> counts;
  std::vector<std::optional<double>> lost_at_s;
  double elapsed_s = 0;
  std::optional<pmu::slots::SlotRun> slots;
  std::optional<base::system::Ended> ended;
  std::vector<std::string> notes;  // a group that was refused, user mode only, the machine in place of the command
  std::shared_ptr<void> open;      // the counters, stopped: closing those of tracepoints takes tens of milliseconds
};

// Errors: an event that does not open; a command that does not start (`not_started` is then true).
base::Expected<Counted> count_once(const CountPlan& plan, bool& not_started);

}  // namespace fathom::session
