// Sources of a timestamp. Each source is a compile-time contract for run/'s loop: `now()` returns ticks, and
// `Conversion` converts them to nanoseconds by one shift and one multiply, using only the high word of the product.
// A source with nanosecond ticks declares it (kCountsNanoseconds) and needs neither.
// The choice of source alone changes a null rate by 55 % (13.3 M, 9.8 M, 8.6 M I/Os per second for cpu, clock_gettime,
// gettimeofday in the published experiment), so a run reports its source. Thread rule: all stateless; any thread.
#pragma once
#include <sys/time.h>
#include <time.h>

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"

namespace fathom::clock::sources {

enum class Source : std::uint8_t { cpu, clock_gettime, gettimeofday };

constexpr std::string_view name(Source s) {
  constexpr std::string_view names[] = {"cpu", "clock_gettime", "gettimeofday"};
  return names[static_cast<int>(s)];
}

// ns = the high 64 bits of (ticks << pre_shift) * mult, rounded down. pre_shift is the smallest with a mult that
// fits: 0 from just above 1 GHz on, 10 at 1 MHz. So ticks << pre_shift stays below 2 * ns (or below ticks), and no time
// difference in a run overflows. mult has at least 53 significant bits.
struct Conversion {
  std::uint64_t mult = 1ull << 63;
  unsigned pre_shift = 1;

  [[gnu::always_inline]] constexpr base::Nanos to_ns(base::Ticks t) const {
    return {static_cast<std::uint64_t>((static_cast<unsigned __int128>(t.v << pre_shift) * mult) >> 64)};
  }
  // Divides: not for the hot path.
  constexpr base::Ticks to_ticks(base::Nanos n) const {
    return {static_cast<std::uint64_t>((static_cast<unsigned __int128>(n.v) << (64 - pre_shift)) / mult)};
  }
  double ticks_per_second() const {
    return 1e9 * std::ldexp(1.0, 64 - static_cast<int>(pre_shift)) / static_cast<double>(mult);
  }

  static constexpr Conversion identity() { return {}; }
  // 1 MHz to 10 GHz.
  static Conversion of_frequency(double ticks_per_second) {
    assert(ticks_per_second >= 1e6 && ticks_per_second <= 1e10);
    const double ns_per_tick = 1e9 / ticks_per_second;
    int exponent = 0;  // ns_per_tick < 2^exponent
    std::frexp(ns_per_tick, &exponent);
    const int pre_shift = exponent > 0 ? exponent : 0;
    return {static_cast<std::uint64_t>(std::ldexp(ns_per_tick, 64 - pre_shift)), static_cast<unsigned>(pre_shift)};
  }
  // The same value as the kernel's (ticks * mult) >> shift, for every product below 2^96; mult > 0, shift < 64.
  static constexpr Conversion of_kernel(std::uint32_t mult, unsigned shift) {
    const auto width = static_cast<unsigned>(std::bit_width(mult));
    const unsigned pre_shift = width > shift ? width - shift : 0;
    return {static_cast<std::uint64_t>(mult) << (64 - shift - pre_shift), pre_shift};
  }
};

// The CPU's own counter: the time stamp counter on x86, the virtual counter on aarch64. Not serializing on x86: a read
// may move past neighboring instructions by some tens of cycles, far less than a system call.
struct CpuClock {
  static constexpr Source kSource = Source::cpu;
  static constexpr bool kCountsNanoseconds = false;
  [[gnu::always_inline]] static base::Ticks now() {
#if defined(__x86_64__)
    std::uint32_t lo, hi;
    asm volatile("rdtsc" : "=a"(lo), "=d"(hi));
    return {(static_cast<std::uint64_t>(hi) << 32) | lo};
#elif defined(__aarch64__)
    std::uint64_t v;
    asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(v));
    return {v};
#else
#error "no CPU clock for this architecture"
#endif
  }
};

#if defined(__x86_64__)
// Waits until every earlier instruction is done; later ones may still start before it.
struct RdtscpClock {
  static constexpr Source kSource = Source::cpu;
  static constexpr bool kCountsNanoseconds = false;
  [[gnu::always_inline]] static base::Ticks now() {
    std::uint32_t lo, hi;
    asm volatile("rdtscp" : "=a"(lo), "=d"(hi) : : "ecx");
    return {(static_cast<std::uint64_t>(hi) << 32) | lo};
  }
};

// No instruction moves past it in either direction.
struct FencedClock {
  static constexpr Source kSource = Source::cpu;
  static constexpr bool kCountsNanoseconds = false;
  [[gnu::always_inline]] static base::Ticks now() {
    std::uint32_t lo, hi;
    asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(lo), "=d"(hi) : : "memory");
    return {(static_cast<std::uint64_t>(hi) << 32) | lo};
  }
};
using OrderedCpuClock = FencedClock;
#else
using OrderedCpuClock = CpuClock;  // its isb orders it
#endif

template <clockid_t kId>
struct KernelClock {
  static constexpr Source kSource = Source::clock_gettime;
  static constexpr bool kCountsNanoseconds = true;
  [[gnu::always_inline]] static base::Ticks now() {
    timespec ts;
    ::clock_gettime(kId, &ts);
    return {static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000ull + static_cast<std::uint64_t>(ts.tv_nsec)};
  }
};
struct MonotonicClock : KernelClock<CLOCK_MONOTONIC> {};
// Not adjusted by NTP: the reference for calibration and drift. No run uses it for timestamps.
struct MonotonicRawClock : KernelClock<CLOCK_MONOTONIC_RAW> {};

struct GettimeofdayClock {
  static constexpr Source kSource = Source::gettimeofday;
  static constexpr bool kCountsNanoseconds = true;
  [[gnu::always_inline]] static base::Ticks now() {
    timeval tv;
    ::gettimeofday(&tv, nullptr);
    return {static_cast<std::uint64_t>(tv.tv_sec) * 1'000'000'000ull +
            static_cast<std::uint64_t>(tv.tv_usec) * 1000ull};
  }
};

}  // namespace fathom::clock::sources
