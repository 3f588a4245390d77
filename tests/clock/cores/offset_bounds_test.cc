// Bounds from counters whose tick is long beside what a hand-over costs, as the 62.5 MHz of many ARM machines: the
// rate that was made up is never ruled out.
#include "clock/cores/offset_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace fathom::clock::cores {
namespace {

std::uint64_t read(double time, double ppm) { return static_cast<std::uint64_t>(time * (1 + ppm * 1e-6)); }

// a and b pass the sequence to and fro; between two readings lies less than a tick, or much more in one direction.
DriftBounds of_made_up(unsigned seed, double ppm) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> step(0, seed % 2 == 0 ? 0.8 : 40);
  constexpr std::size_t kHandOvers = 4000;
  OffsetBounds bounds;
  double time = 1e6;
  for (std::size_t i = 0; i < kHandOvers; ++i) {
    const double next = time + step(random) * (i % 2 == 0 ? 1 : 3);
    const std::size_t window = i * OffsetBounds::kWindows / kHandOvers;
    const std::uint64_t a = read(i % 2 == 0 ? time : next, 0), b = read(i % 2 == 0 ? next : time, ppm);
    if (i % 2 == 0)
      bounds.a_to_b(window, a, static_cast<std::int64_t>(b - a));
    else
      bounds.b_to_a(window, a, static_cast<std::int64_t>(a - b));
    time = next;
  }
  return bounds.drift();
}

TEST(OffsetBounds, ALongTickRulesNoTrueRateOut) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    for (const double ppm : {2000.0, -2000.0, 0.0, 100.0}) {
      const DriftBounds found = of_made_up(seed, ppm);
      EXPECT_LE(found.low_ppm, ppm) << seed;
      EXPECT_GE(found.high_ppm, ppm) << seed;
    }
  }
}

}  // namespace
}  // namespace fathom::clock::cores
