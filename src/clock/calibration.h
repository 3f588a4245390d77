// How many ticks of the CPU clock are a nanosecond. The kernel's own conversion is asked first (perf_event_open(2),
// cap_user_time: it is what clock_gettime itself uses); where that is refused, the counter is held against
// CLOCK_MONOTONIC_RAW twice, 10 ms apart, keeping the tightest of several readings at each end.
#pragma once
#include <span>
#include <string>

#include "clock/source.h"

namespace fathom::clock {

struct Calibration {
  Source source = Source::cpu;
  Conversion conversion;
  double ticks_per_second = 1e9;
  std::string method;  // "perf_event cap_user_time", "CLOCK_MONOTONIC_RAW over 10 ms", "clock counts nanoseconds"
};

// Whether the CPU's counter runs at one rate in all power states (CPUID 0x80000007 EDX bit 8; always so on aarch64).
bool cpu_clock_invariant();

// Costs a few microseconds where the kernel gives the conversion, else about 10 ms.
Calibration calibrate(Source source);

// One simultaneous reading: the reference clock and the counter that was read between two looks at it.
struct ClockPair {
  std::uint64_t reference_ns;
  std::uint64_t ticks;
  std::uint64_t width_ns;  // how long the bracket was: the reading's error
};
// Ticks per second from readings at both ends; the narrowest of each end is used. 0 when they do not allow it.
double frequency_of(std::span<const ClockPair> begin, std::span<const ClockPair> end);

}  // namespace fathom::clock
