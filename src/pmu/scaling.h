// The arithmetic of counters: what grew between two readings, what a shared counter would have counted, sums and rates.
// Pure. Source: perf_event_open(2), "Reading results".
#pragma once
#include <cstdint>
#include <span>

#include "pmu/events/event.h"

namespace fathom::pmu {

// Increments between two readings of a counter so many bits wide (1 to 64): exact as long as it wrapped at most once.
constexpr std::uint64_t grown(std::uint64_t first, std::uint64_t last, unsigned width_bits) {
  const std::uint64_t mask = width_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_bits) - 1;
  return (last - first) & mask;
}

// How long a counter may go unread at so many increments a second: half its range.
double longest_gap_s(unsigned width_bits, double increments_per_s);

// raw x enabled / running. running 0: not counted, which is not the same as nothing happened.
events::EventCount scale(const events::Reading& grown_by);

// Of the CPUs or tasks of one event, and of events under one name. Raw, scaled and times are added; the window is the
// longest. Where one of them never ran, its part is taken to be as the others'. Lost stays lost, with what was counted.
events::EventCount sum(std::span<const events::EventCount> parts);

// Later minus earlier of the same event: an interval of -I.
events::EventCount since(const events::EventCount& earlier, const events::EventCount& later);

// 10^6 bytes a second over the window in which the counter was enabled, not the time the command took.
double mb_per_s(double bytes, std::uint64_t window_ns);

}  // namespace fathom::pmu
