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

// Sleeps for part of `ns`, never longer, and for at most 10 ms, so that the caller checks its stop flag.
inline void pause_near(std::uint64_t ns) {
  if (ns > kSleepMarginNs) sleep_ns(std::min<std::uint64_t>(ns - kSleepMarginNs, 10'000'000));
}

// Sleeps the whole time, in parts, until `stop` is set.
inline void pause_for(std::uint64_t ns, const std::atomic<std::uint32_t>& stop) {
  const std::uint64_t end = monotonic_ns() + ns;
  for (std::uint64_t now = monotonic_ns(); now < end && stop.load(std::memory_order_relaxed) == 0; now = monotonic_ns())
    sleep_ns(std::min<std::uint64_t>(end - now, 10'000'000));
}

}  // namespace fathom::run::loop
