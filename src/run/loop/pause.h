// Sleeps of a job that waits. pause_near() ends early, and its caller waits for the rest without sleeping.
// pause_for() sleeps for the whole time, and may end late.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace fathom::run::loop {

using base::monotonic_ns, base::sleep_ns;

// A sleep ends late by about this much (timer slack of 50 us, and the scheduler). pause_near() ends this much early.
// Its caller then reads the clock in a loop until the time is reached.
inline constexpr std::uint64_t kSleepMarginNs = 100'000;

// The longest sleep. The caller then checks its stop flag.
inline constexpr std::uint64_t kLongestSleepNs = 10'000'000;

// The time by which one step of a wait was too long: the part above kLongestSleepNs. 0 if the step took at most twice
// kLongestSleepNs: a timer alone may be that late. A longer step means that the job was stopped, or had no CPU.
// step_ns: the time between two clock reads, with at most one sleep between them.
inline constexpr std::uint64_t overslept_ns(std::uint64_t step_ns) {
  return step_ns > 2 * kLongestSleepNs ? step_ns - kLongestSleepNs : 0;
}

// Sleeps for part of `ns`, never longer, and at most kLongestSleepNs.
inline void pause_near(std::uint64_t ns) {
  if (ns > kSleepMarginNs) sleep_ns(std::min<std::uint64_t>(ns - kSleepMarginNs, kLongestSleepNs));
}

// Sleeps the whole time, in parts, until `stop` is set. Returns the time overslept.
inline std::uint64_t pause_for(std::uint64_t ns, const std::atomic<std::uint32_t>& stop) {
  std::uint64_t now = monotonic_ns(), overslept = 0;
  for (const std::uint64_t end = now + ns; now < end && stop.load(std::memory_order_relaxed) == 0;) {
    sleep_ns(std::min<std::uint64_t>(end - now, kLongestSleepNs));
    const std::uint64_t before = now;
    now = monotonic_ns();
    overslept += overslept_ns(now - before);
  }
  return overslept;
}

}  // namespace fathom::run::loop
