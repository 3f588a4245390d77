// --settle: waits until the machine and the disks of the run are idle, and records the remaining background load.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "result/result.h"

namespace fathom::host {

struct SettleLimits {
  double cpu_percent = 5;  // busy share of all CPUs, over one interval
  double disk_iops = 5;    // of the run's disks
  double interval_s = 0.5;
  int quiet_intervals = 3;  // in a row
  double give_up_s = 60;
};

// State of the wait, after each sample.
struct SettleProgress {
  std::vector<std::string> disks;  // kernel names; empty: only the CPUs are checked
  bool seen = false;               // an interval has ended: the two rates are from the last one
  double cpu_percent = 0, disk_iops = 0;
  double quiet_s = 0, still_s = 0;      // idle time so far, and how much more is needed
  double waited_s = 0, gives_up_s = 0;  // since the beginning, and remaining until it gives up
  SettleLimits limits;
};
using SettleListener = std::function<void(const SettleProgress&)>;

// Returns early (settled = false) when *stop becomes true.
result::Settle settle(const std::vector<std::string>& disks, const SettleLimits& limits,
                      const std::atomic<std::uint32_t>& stop, const SettleListener& listener = {});

}  // namespace fathom::host
