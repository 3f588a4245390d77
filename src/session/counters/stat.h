// `fathom pmu stat`'s work: names resolved, the command run once, several times, or once an event, and what was counted
// put together as a result. It prints nothing: an interval goes to a listener. Thread rule: one thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "pmu/events/places.h"
#include "pmu/events/sources.h"
#include "result/commands/pmu_stat.h"
#include "session/count.h"
#include "session/counters/stat_rows.h"
#include "session/counters/stat_target.h"

namespace fathom::session::counters {

struct StatPlan {
  std::string events;   // as perf writes them; empty: perf's default ones
  unsigned detail = 0;  // how many sets of -d follow
  bool all_cpus = false, pinned = false;
  std::string processes, threads, cpus;  // lists of numbers in place of the command; empty: none
  pmu::events::Together together = pmu::events::Together::all;
  bool passes = false;            // one run an event
  unsigned runs = 1;              // of the command
  std::uint64_t interval_ms = 0;  // 0: none
  std::uint64_t delay_ms = 0;     // from the command's start to counting
  std::uint64_t timeout_ms = 0;   // of counting; the command gets SIGTERM; 0: none
  std::optional<pmu::slots::SlotRunnerOptions> slots;
  double unit_bytes = 0;             // 0: the rules'
  std::vector<std::string> command;  // empty: until a signal, or the tasks have ended
  // As in CountPlan.
  void (*before_exec)() = nullptr;
  const pmu::PerfCalls* calls = nullptr;
  std::string prefix;
};

// What was counted in an interval. False: nobody reads it any more, and the command is told to end.
using IntervalListener = std::function<bool(const result::PmuIntervalRows&)>;

class Stat {
 public:
  explicit Stat(StatPlan plan);
  // Before anything is opened: finds what the names mean. Errors as of pmu::events::parse_events.
  base::Expected<void> resolve();
  // The counters of the last run stay open until the Stat ends: closing those of tracepoints takes tens of milliseconds.
  base::Expected<result::PmuStat> run(const std::atomic<StopLevel>& stop, const IntervalListener& on_interval);
  std::optional<result::PmuPlaceKind> place_kind() const { return counters::place_kind(plan_.together); }
  bool not_started() const { return not_started_; }  // the command: the error of run() is that

 private:
  std::string names() const;
  bool of_cpus() const { return target_.tasks.empty() && (plan_.all_cpus || !target_.cpus.empty()); }
  base::Expected<void> place();
  base::Expected<void> one_run();
  base::Expected<Counted> count(std::vector<pmu::events::Event> events);
  std::vector<result::PmuRow> rows(const std::vector<pmu::StatRow>& found, double window_s) const;
  bool tell_interval(double time_s, const std::vector<pmu::events::EventCount>& counts);
  void take_slots(Counted& counted);
  void take_names(const Counted& counted);
  bool stopped() const { return stop_->load() != StopLevel::none; }

  StatPlan plan_;
  pmu::events::EventSources sources_;
  Target target_;
  const std::atomic<StopLevel>* stop_ = nullptr;
  IntervalListener on_interval_;
  std::optional<std::uint64_t> began_;  // by the first interval, Unix time in ms
  std::vector<pmu::events::Event> events_;
  StatFound found_;
  result::PmuStat result_;
  std::vector<std::vector<pmu::StatRow>> runs_;
  std::vector<pmu::events::EventCount> before_;  // at the interval before
  double before_s_ = 0;
  std::shared_ptr<void> open_;
  bool not_started_ = false;
};

}  // namespace fathom::session::counters
