// Whether the clock kept its calibrated rate over a whole run: brackets at its begin and its end against
// CLOCK_MONOTONIC_RAW. The longer the run, the tighter the answer (50 ns of bracket over 10 s are 0.005 ppm). It is a
// mean: a rate that went up and came back is not seen. Thread rule: begin() and end() in one thread, or in two that run
// on the same CPU, or whose CPUs' counters are known to agree within an offset.
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
  std::uint64_t over_ns = 0;    // of the reference
  double ticks_per_second = 0;  // what the clock did run at
};

inline constexpr double kMostDrift_ppm = 100;
// What of a drift is beyond its own bound: never more than was shown, with its sign.
double shown_ppm(const Drift& drift);

// None: the readings allow no rate (no time passed, or the clock jumped).
std::optional<Drift> drift_of(std::span<const sources::Bracket> begin, std::span<const sources::Bracket> end,
                              const sources::Conversion& conversion);

class DriftMeter {
 public:
  explicit DriftMeter(sources::Source source = sources::Source::cpu) : source_(source) {}
  void begin();  // a microsecond or two
  // offset_ns: how far apart the counters of two CPUs may be unseen. It goes into the bound where begin and end were
  // read on different CPUs.
  std::optional<Drift> end(const sources::Conversion& conversion, double offset_ns = 0) const;

 private:
  sources::Source source_;
  int cpu_ = -1;
  std::vector<sources::Bracket> begin_;
};

}  // namespace fathom::clock
