// The number of CPU clock ticks per nanosecond, with an error bound. Several sources claim to know it: the kernel
// (perf_event_open(2), cap_user_time: its own conversion), the processor or the hypervisor (frequency_leaf.h), an
// earlier run. A claim is used only if brackets around CLOCK_MONOTONIC_RAW prove it within kMaxErrorPpm, usually within
// half a millisecond. A claim that they exclude is skipped and noted. Without a claim, the brackets themselves give the
// rate (bracket.h). If nothing is proven within 15 ms (150 ms if the bound is still improving), the CPU clock is
// refused.
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
  Source source = Source::cpu;  // clock_gettime if the CPU clock was requested but refused: notes has the reason
  Conversion conversion;
  double ticks_per_second = 1e9;
  std::string method;    // "perf_event cap_user_time", "CPUID 0x15", "CLOCK_MONOTONIC_RAW over 3.2 ms", "clock counts
                         // nanoseconds"
  double error_ppm = 0;  // proven bound against CLOCK_MONOTONIC_RAW; 0 for a clock that counts nanoseconds
  std::vector<std::string> notes;  // rejected claims, and why
};

// True if the CPU's counter has one rate in all power states (CPUID 0x80000007 EDX bit 8; always on aarch64).
bool cpu_clock_invariant();

// Takes about half a millisecond if a claim holds, some milliseconds if the rate must be measured, and 150 ms at most.
// earlier: the rate that an earlier run of this boot found; the last claim to be tried.
Calibration calibrate(Source source, const FrequencyClaim* earlier = nullptr);

// The same with a simulated machine: `read` takes one bracket, `pause` lets time pass.
struct Reference {
  std::function<Bracket()> read;
  std::function<void(std::uint64_t ns)> pause;
};
Calibration calibrate_cpu(std::span<const FrequencyClaim> claims, const Reference& reference);

}  // namespace fathom::clock::sources
