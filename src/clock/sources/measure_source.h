// Measures the read cost and resolution of every clock of this machine, on the caller's CPU, a few milliseconds per
// clock. Thread rule: any thread, which stays pinned during the call.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "clock/sources/calibration.h"

namespace fathom::clock::sources {

struct ReadCost {
  double min = 0, p50 = 0, p99 = 0;
};

struct SourceMeasure {
  std::string_view name;  // "cpu: rdtsc", "clock_gettime: CLOCK_MONOTONIC"
  Source source = Source::cpu;
  bool for_runs = false;                  // allowed in clocksource=; the others are for comparison
  ReadCost cost_ns;                       // of one read, back to back: blocks of kReadsPerBlock, each divided by it
  ReadCost cost_ticks;                    // the same in ticks of the CPU clock
  double smallest_step_ns = 0;            // between two successive readings that differ
  double resolution_ns = 0;               // the smallest step that occurs often (Steps)
  std::uint64_t smallest_step_ticks = 0;  // in this clock's unit: ticks of the CPU clock, or ns
  std::uint64_t resolution_ticks = 0;
  std::uint64_t reads = 0;
  std::uint64_t backward_steps = 0;
};

inline constexpr unsigned kReadsPerBlock = 64;

// Measures one after the other, in the order of the table. conversion: of the CPU clock.
std::vector<SourceMeasure> measure_sources(const Conversion& conversion, std::uint64_t max_ns_each = 4'000'000);
SourceMeasure measure_source(Source source, const Conversion& conversion, std::uint64_t max_ns = 4'000'000);

// The arithmetic, without a clock.
struct Steps {
  std::uint64_t smallest = 0;  // smallest nonzero step; 0: the clock never moved
  // The smallest step that is at least a hundredth of all steps. It is never their common divisor: for steps of 26 and
  // 53 ticks (25.96, rounded twice), that is 1, but the counter never moved by 1. Nor is it the tick that a processor
  // adds so that no value occurs twice.
  std::uint64_t resolution = 0;
  std::uint64_t backward = 0;
};
Steps steps_of(std::span<const std::uint64_t> readings);
ReadCost cost_of(std::span<const std::uint64_t> block_ticks);  // per read; block_ticks is of blocks

}  // namespace fathom::clock::sources
