// Whether the clock kept its calibrated rate over a whole run: brackets at its begin and end against
// CLOCK_MONOTONIC_RAW. A longer run gives a tighter bound (50 ns of bracket over 10 s are 0.005 ppm).
// It is a mean: a rate that rose and fell back is not seen.
// Thread rule: begin() and end() in one thread, or in two threads that run on the same CPU or on CPUs with counters
// that agree within a known offset.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clock/sources/bracket.h"

namespace fathom::clock {

struct Drift {
  double drift_ppm = 0;         // the clock ran this much faster than its conversion assumes; negative: slower
  double bound_ppm = 0;         // the true drift lies within ± this
  std::uint64_t over_ns = 0;    // in time of the reference
  double ticks_per_second = 0;  // the actual rate
};

inline constexpr double kMostDrift_ppm = 100;
// The part of a drift beyond its own bound, with its sign. It never exceeds the drift that was proven.
double shown_ppm(const Drift& drift);

// Empty: the readings allow no rate (no time passed, or the clock jumped).
std::optional<Drift> drift_of(std::span<const sources::Bracket> begin, std::span<const sources::Bracket> end,
                              const sources::Conversion& conversion);

class DriftMeter {
 public:
  explicit DriftMeter(sources::Source source = sources::Source::cpu) : source_(source) {}
  void begin();  // takes one or two microseconds
  // offset_ns: the largest undetected offset between the counters of two CPUs. It is part of the bound if begin and
  // end were read on different CPUs.
  std::optional<Drift> end(const sources::Conversion& conversion, double offset_ns = 0) const;

 private:
  sources::Source source_;
  int cpu_ = -1;
  std::vector<sources::Bracket> begin_;
};

}  // namespace fathom::clock
