// The clocks of a run, watched while it goes on: the CPU's counter against CLOCK_MONOTONIC_RAW where it takes the
// timestamps, the calendar against CLOCK_MONOTONIC, and whether the machine slept. Looked at on the parent's beat, beside
// the loops (or the accesses to memory), which know nothing of it. Thread rule: the parent's thread.
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
  clock::Moved counter, calendar, sleep;  // sleep: CLOCK_BOOTTIME against CLOCK_MONOTONIC, which stands still meanwhile
  bool by_calendar = false;               // a job stamps with it
};
std::vector<result::Finding> clock_findings(const ClocksMoved& moved);

// How far two CPUs' counters may be apart without any test having seen it.
double unseen_offset_ns(const RunClocks& clocks, std::span<const files::Plan> plans);

class ClockWatches {
 public:
  // Both make the first look. counter: its conversion, null where nothing uses it; offset_ns: unseen_offset_ns().
  ClockWatches(std::span<const files::Plan> plans, const RunClocks& clocks);
  ClockWatches(const clock::sources::Conversion* counter, double offset_ns, bool by_calendar);
  void look();
  // A clock that jobs stamp with is behind where it was.
  bool went_back(clock::sources::Source source) const;
  ClocksMoved moved() const;

 private:
  std::optional<clock::ClockWatch> counter_;
  clock::ClockWatch calendar_, sleep_;
  bool by_calendar_ = false;
};

}  // namespace fathom::run::process
