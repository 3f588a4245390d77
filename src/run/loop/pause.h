// Waits that do not end late: sleep for most of the time, spin for the rest.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace fathom::run::loop {

using base::monotonic_ns, base::sleep_ns;

// A sleep ends late by about this much (timer slack of 50 us, and the scheduler). The caller spins instead.
inline constexpr std::uint64_t kSleepMarginNs = 100'000;

// The longest sleep. The caller then checks its stop flag.
inline constexpr std::uint64_t kLongestSleepNs = 10'000'000;

// The time by which one step of a wait was too long; 0 if it was at most twice the longest sleep. A timer is not late by
// so much: the job was stopped, or had no CPU. step_ns: from one clock read to the next, with at most one sleep between.
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
