// Time for purposes other than latency: deadlines, durations of phases, dates. The clock for latencies has a separate
// contract (clock/sources/source.h). Waiting on a condition uses std::chrono::steady_clock, which is CLOCK_MONOTONIC
// too. Source: clock_gettime(2). Thread rule: any thread.
#pragma once
#include <time.h>

#include <cstdint>

namespace fathom::base {

inline std::uint64_t clock_ns(clockid_t id) {
  timespec ts;
  ::clock_gettime(id, &ts);
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000ull + static_cast<std::uint64_t>(ts.tv_nsec);
}

inline std::uint64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }
inline std::uint64_t epoch_ns() { return clock_ns(CLOCK_REALTIME); }  // since 1970
inline std::uint64_t epoch_ms() { return epoch_ns() / 1'000'000; }
inline std::uint64_t thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }  // of the caller

inline void sleep_ns(std::uint64_t ns) {
  const timespec ts{static_cast<time_t>(ns / 1'000'000'000ull), static_cast<long>(ns % 1'000'000'000ull)};
  ::nanosleep(&ts, nullptr);
}

}  // namespace fathom::base
