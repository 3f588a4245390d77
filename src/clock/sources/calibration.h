// How many ticks of the CPU clock are a nanosecond, and how wrong that can be. Somebody usually claims to know: the
// kernel (perf_event_open(2), cap_user_time: its own conversion), the processor or the hypervisor (frequency_leaf.h),
// an earlier run. A claim is taken only when brackets around CLOCK_MONOTONIC_RAW prove it within kMaxErrorPpm, usually
// within half a millisecond; one that they exclude is passed over, and said. Without a claim the brackets themselves
// give the rate (bracket.h). Where nothing can be proven within 15 ms, the CPU clock is refused.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "clock/sources/bracket.h"
#include "clock/sources/frequency_leaf.h"
#include "clock/sources/source.h"

namespace fathom::clock::sources {

inline constexpr double kMaxErrorPpm = 100;

struct Calibration {
  Source source = Source::cpu;  // clock_gettime where the CPU clock was asked for and refused: then notes say why
  Conversion conversion;
  double ticks_per_second = 1e9;
  std::string method;    // "perf_event cap_user_time", "CPUID 0x15", "CLOCK_MONOTONIC_RAW over 3.2 ms", "clock counts
                         // nanoseconds"
  double error_ppm = 0;  // proven bound against CLOCK_MONOTONIC_RAW; 0 for a clock that counts nanoseconds
  std::vector<std::string> notes;  // claims that were not believed, and why
};

// Whether the CPU's counter runs at one rate in all power states (CPUID 0x80000007 EDX bit 8; always so on aarch64).
bool cpu_clock_invariant();

// About half a millisecond where a claim holds, some milliseconds where the rate must be measured, at most 20.
// earlier: the rate that an earlier run of this boot found, asked last.
Calibration calibrate(Source source, const FrequencyClaim* earlier = nullptr);

// The same with the machine handed in: `read` takes one bracket, `pause` lets time pass.
struct Reference {
  std::function<Bracket()> read;
  std::function<void(std::uint64_t ns)> pause;
};
Calibration calibrate_cpu(std::span<const FrequencyClaim> claims, const Reference& reference);

}  // namespace fathom::clock::sources
