// The decision of --settle, without sampling and sleeping: it takes readings and decides when the machine was idle long
// enough. A pure state machine, so that tests can use artificial samples. The reported background load is the mean over
// the intervals of the decision.
#pragma once
#include <cstdint>
#include <deque>

#include "host/settle.h"
#include "result/result.h"

namespace fathom::host {

// Running totals at one moment; only differences matter.
struct SettleSample {
  double t_s = 0;
  std::uint64_t cpu_busy = 0, cpu_total = 0;  // clock ticks of all CPUs
  std::uint64_t disk_ios = 0, disk_bytes = 0;
};

class SettleJudge {
 public:
  enum class Verdict { wait, settled, gave_up };
  explicit SettleJudge(const SettleLimits& limits) : limits_(limits) {}
  // Samples in order of time. The first one only starts the first interval.
  Verdict add(const SettleSample& sample);
  result::Settle result() const;
  SettleProgress progress() const;  // without the names of the disks

 private:
  double cpu_percent(const SettleSample& from, const SettleSample& to) const;
  bool quiet(const SettleSample& from, const SettleSample& to) const;

  SettleLimits limits_;
  std::deque<SettleSample> window_;  // the last quiet_intervals intervals
  double started_s_ = 0;
  int quiet_in_a_row_ = 0;
  bool settled_ = false;
};

}  // namespace fathom::host
