// The arithmetic of check_fit() alone: what a run's memory needs against what limit, swap and machine have. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "paging/plan.h"
#include "paging/pressure/cgroup.h"
#include "paging/pressure/swap/swap_header.h"
#include "result/finding.h"

namespace fathom::paging::pressure {

struct FitFacts {
  std::uint64_t ram_bytes = 0;           // MemTotal
  std::vector<swap::ActiveSwap> active;  // /proc/swaps
  std::uint64_t swap_device_bytes = 0;   // of --swap dev:
  std::string swap_device_active;        // its name in /proc/swaps, if it is on already
  EffectiveLimit ambient;                // of the memory groups that the run is started in
};

// What the measuring side itself needs and cannot swap: code and kernel memory of each process, measurement memory of
// each thread, page tables (8 bytes a page of the set).
std::uint64_t own_bytes(const Plan& plan, std::uint64_t page_bytes);
// Bytes that must lie in memory or swap; 0 for kinds that have a file behind them or are never swapped.
std::uint64_t needed_bytes(const Plan& plan);
base::Expected<void> judge_fit(const Plan& plan, const PressurePlan& pressure, const FitFacts& facts);

}  // namespace fathom::paging::pressure
