// The arithmetic of check_fit() alone: compares a run's memory needs with limit, swap and machine. Pure.
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
  EffectiveLimit ambient;                // of the memory groups in which the run is started
};

// Memory that the measuring side itself needs and cannot swap: code and kernel memory of each process, measurement
// memory of each thread, page tables (8 bytes per page of the set).
std::uint64_t own_bytes(const Plan& plan, std::uint64_t page_bytes);
// Bytes that need memory or swap; 0 for kinds that a file backs or that are never swapped.
std::uint64_t needed_bytes(const Plan& plan);
base::Expected<void> judge_fit(const Plan& plan, const PressurePlan& pressure, const FitFacts& facts);

}  // namespace fathom::paging::pressure
