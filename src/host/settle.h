// --settle: wait until the machine and the disks of the run are idle, and record what background remained.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "result/result.h"

namespace fathom::host {

struct SettleLimits {
  double cpu_percent = 5;  // busy share of all CPUs, over one interval
  double disk_iops = 5;    // of the run's disks
  double interval_s = 0.5;
  int quiet_intervals = 3;  // in a row
  double give_up_s = 60;
};

// Returns early (settled = false) when *stop becomes true.
result::Settle settle(std::span<const std::string> target_paths, const SettleLimits& limits,
                      const std::atomic<std::uint32_t>& stop);

}  // namespace fathom::host
