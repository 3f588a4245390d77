// The work of `fathom pmu stat`: resolves names, runs the command once, several times, or once per event, and combines
// the counts to a result. It prints nothing: a listener gets the intervals. Thread rule: one thread.
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
  std::string events;   // in perf's syntax; empty: perf's default events
  unsigned detail = 0;  // number of -d sets to add
  bool all_cpus = false, pinned = false;
  std::string processes, threads, cpus;  // lists of numbers instead of the command; empty: none
  pmu::events::Together together = pmu::events::Together::all;
  bool passes = false;            // one run per event
  unsigned runs = 1;              // of the command
  std::uint64_t interval_ms = 0;  // 0: no intervals
  std::uint64_t delay_ms = 0;     // from the command's start to counting
  std::uint64_t timeout_ms = 0;   // of counting; then the command gets SIGTERM; 0: no timeout
  std::optional<pmu::slots::SlotRunnerOptions> slots;
  double unit_bytes = 0;             // 0: from the rules
  std::vector<std::string> command;  // empty: until a signal, or until the tasks have ended
  // As in CountPlan.
  void (*before_exec)() = nullptr;
  const pmu::PerfCalls* calls = nullptr;
  std::string prefix;
};

// Gets the counts of an interval. False: the output has no reader any more, so the command gets a request to end.
using IntervalListener = std::function<bool(const result::PmuIntervalRows&)>;

class Stat {
 public:
  explicit Stat(StatPlan plan);
  // Resolves the names before any counter is opened. Errors: those of pmu::events::parse_events.
  base::Expected<void> resolve();
  // The counters of the last run stay open while the Stat exists: closing tracepoint counters takes tens of
  // milliseconds.
  base::Expected<result::PmuStat> run(const std::atomic<StopLevel>& stop, const IntervalListener& on_interval);
  std::optional<result::PmuPlaceKind> place_kind() const { return counters::place_kind(plan_.together); }
  bool not_started() const { return not_started_; }  // true: the error of run() is that the command did not start

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
  std::optional<std::uint64_t> began_;  // set by the first interval; Unix time in ms
  std::vector<pmu::events::Event> events_;
  StatFound found_;
  result::PmuStat result_;
  std::vector<std::vector<pmu::StatRow>> runs_;
  std::vector<pmu::events::EventCount> before_;  // at the previous interval
  double before_s_ = 0;
  std::shared_ptr<void> open_;
  bool not_started_ = false;
};

}  // namespace fathom::session::counters
