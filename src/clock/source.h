// Where a stamp comes from. Each source is a compile-time contract for run/'s loop: `now()` gives ticks, `Conversion`
// makes them nanoseconds by one multiply and one shift. The choice of source alone moves a null rate by 55 % (13.3
// M, 9.8 M, 8.6 M I/Os a second for cpu, clock_gettime, gettimeofday in the published experiment), so a run says which
// one it used. Thread rule: all stateless; any thread.
#pragma once
#include <sys/time.h>
#include <time.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"

namespace fathom::clock {

enum class Source : std::uint8_t { cpu, clock_gettime, gettimeofday };

constexpr std::string_view name(Source s) {
  constexpr std::string_view names[] = {"cpu", "clock_gettime", "gettimeofday"};
  return names[static_cast<int>(s)];
}

// ns = ticks * mult >> shift. Error of the rounding: below 2^-32 of the value with shift 32.
struct Conversion {
  std::uint64_t mult = 1ull << 32;
  unsigned shift = 32;
  constexpr base::Nanos to_ns(base::Ticks t) const {
    return {static_cast<std::uint64_t>((static_cast<unsigned __int128>(t.v) * mult) >> shift)};
  }
  constexpr base::Ticks to_ticks(base::Nanos n) const {
    return {static_cast<std::uint64_t>((static_cast<unsigned __int128>(n.v) << shift) / mult)};
  }
  static constexpr Conversion identity() { return {}; }
  static Conversion of_frequency(double ticks_per_second) {
    return {static_cast<std::uint64_t>(1e9 * 4294967296.0 / ticks_per_second + 0.5), 32};
  }
};

// The CPU's own counter: the time stamp counter on x86, the virtual counter on aarch64. Not serialising: a stamp may
// move past neighbouring instructions by some tens of cycles, far less than a system call.
struct CpuClock {
  static constexpr Source kSource = Source::cpu;
  static base::Ticks now() {
#if defined(__x86_64__)
    std::uint32_t lo, hi;
    asm volatile("rdtsc" : "=a"(lo), "=d"(hi));
    return {(static_cast<std::uint64_t>(hi) << 32) | lo};
#elif defined(__aarch64__)
    std::uint64_t v;
    asm volatile("isb; mrs %0, cntvct_el0" : "=r"(v));
    return {v};
#else
#error "no CPU clock for this architecture"
#endif
  }
};

struct MonotonicClock {
  static constexpr Source kSource = Source::clock_gettime;
  static base::Ticks now() {
    timespec ts;
    ::clock_gettime(CLOCK_MONOTONIC, &ts);
    return {static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000ull + static_cast<std::uint64_t>(ts.tv_nsec)};
  }
};

struct GettimeofdayClock {
  static constexpr Source kSource = Source::gettimeofday;
  static base::Ticks now() {
    timeval tv;
    ::gettimeofday(&tv, nullptr);
    return {static_cast<std::uint64_t>(tv.tv_sec) * 1'000'000'000ull +
            static_cast<std::uint64_t>(tv.tv_usec) * 1000ull};
  }
};

}  // namespace fathom::clock
