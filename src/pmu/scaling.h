// The arithmetic of counters: increments between two reads, the estimated count of a shared counter, sums and rates.
// Pure. Source: perf_event_open(2), "Reading results".
#pragma once
#include <cstdint>
#include <span>

#include "pmu/events/event.h"

namespace fathom::pmu {

// Increments between two reads of a counter of `width_bits` bits (1 to 64): exact if it wrapped at most once.
constexpr std::uint64_t grown(std::uint64_t first, std::uint64_t last, unsigned width_bits) {
  const std::uint64_t mask = width_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_bits) - 1;
  return (last - first) & mask;
}

// The longest time between reads of a counter with this rate of increments per second: half its range.
double longest_gap_s(unsigned width_bits, double increments_per_s);

// raw x enabled / running. running 0: not counted, which is not the same as a count of 0.
events::EventCount scale(const events::Reading& grown_by);

// Sums the CPUs or tasks of one event, or events under one name. Raw, scaled and times are added; the window is the
// longest. If one of them never ran, its part is assumed to be like the others'. Lost stays lost, with the counts so
// far.
events::EventCount sum(std::span<const events::EventCount> parts);

// Later minus earlier of the same event: an interval of -I.
events::EventCount since(const events::EventCount& earlier, const events::EventCount& later);

// 10^6 bytes per second over the window in which the counter was enabled, not the time the command took.
double mb_per_s(double bytes, std::uint64_t window_ns);

}  // namespace fathom::pmu
