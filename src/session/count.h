// One run of the command, or one measured interval on the machine, with open counters. Thread rule: one thread.
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

// How to stop a command that is only observed. The terminal sends it Ctrl-C as well, so the first Ctrl-C sends nothing.
enum class StopLevel : std::uint32_t { none, wait, terminate, kill };

struct CountPlan {
  std::vector<pmu::events::Event> events;
  std::vector<std::string> command;  // empty: count until a signal
  bool all_cpus = false;
  std::vector<pid_t> tasks;  // counted instead of the command; without a command, until they have ended
  std::uint64_t interval_ms = 0;
  std::uint64_t delay_ms = 0;    // time from the command's start to counting
  std::uint64_t timeout_ms = 0;  // of counting: then the command gets SIGTERM; 0: no timeout
  std::optional<pmu::slots::SlotRunnerOptions> slots;
  // Called every interval, and once at the end: seconds since the start, and the counts of each event since then.
  // False: the output has no reader any more, so the command gets a request to end.
  std::function<bool(double time_s, const std::vector<pmu::events::EventCount>& counts)> on_interval;
  const std::atomic<StopLevel>* stop = nullptr;
  void (*before_exec)() = nullptr;        // called in the process of the command; nullptr: not called
  const pmu::PerfCalls* calls = nullptr;  // nullptr: the kernel's
  std::string prefix;                     // before /sys, where the directory of a PMU shows that it exists
};

struct Counted {
  std::vector<pmu::events::Event> events;  // as they were opened
  std::vector<pmu::events::EventCount> counts;
  std::vector<std::optional<double>> lost_at_s;
  double elapsed_s = 0;
  std::optional<pmu::slots::SlotRun> slots;
  std::optional<base::system::Ended> ended;
  std::vector<std::string> notes;  // refused group, user mode only, machine instead of command
  std::shared_ptr<void> open;      // the stopped counters: closing tracepoint counters takes tens of milliseconds
};

// Errors: an event cannot be opened; a command does not start (`not_started` is then true).
base::Expected<Counted> count_once(const CountPlan& plan, bool& not_started);

}  // namespace fathom::session
