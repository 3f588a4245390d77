// Monitors the clocks of a run: the CPU's counter against CLOCK_MONOTONIC_RAW if it takes the timestamps, the calendar
// against CLOCK_MONOTONIC, and whether the machine slept. The parent checks them periodically, independently of the
// loops (or of the memory accesses). Thread rule: the parent's thread.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "clock/watch.h"
#include "result/finding.h"
#include "run/files/targets.h"
#include "run/process/clock_choice.h"

namespace fathom::run::process {

struct ClocksMoved {
  clock::Moved counter, calendar, sleep;  // sleep: CLOCK_BOOTTIME against CLOCK_MONOTONIC, which stops during sleep
  bool by_calendar = false;               // a job stamps with the calendar
};
std::vector<result::Finding> clock_findings(const ClocksMoved& moved);

// The largest possible offset between two CPUs' counters that no test has detected.
double unseen_offset_ns(const RunClocks& clocks, std::span<const files::Plan> plans);

class ClockWatches {
 public:
  // Both constructors make the first check. counter: its conversion; null: not used. offset_ns: unseen_offset_ns().
  ClockWatches(std::span<const files::Plan> plans, const RunClocks& clocks);
  ClockWatches(const clock::sources::Conversion* counter, double offset_ns, bool by_calendar);
  void look();
  // Whether a clock that jobs stamp with is more than 10 ms behind its expected time.
  bool went_back(clock::sources::Source source) const;
  ClocksMoved moved() const;

 private:
  std::optional<clock::ClockWatch> counter_;
  clock::ClockWatch calendar_, sleep_;
  bool by_calendar_ = false;
};

}  // namespace fathom::run::process
