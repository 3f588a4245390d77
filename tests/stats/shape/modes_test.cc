// Latencies of one and of two modes.
#include "stats/shape/modes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace fathom::stats::shape {
namespace {

// `n` latencies about `median_ns`.
void add(Histogram& to, double median_ns, double spread, int n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (int i = 0; i < n; ++i) to.add(static_cast<std::uint64_t>(median_ns * std::exp(spread * normal(random))));
}

TEST(TwoModes, HitsAndMissesAreTwo) {
  Histogram latencies;
  add(latencies, 2'000, 0.2, 3'000);
  add(latencies, 100'000, 0.3, 7'000);
  const auto modes = two_modes(latencies);
  ASSERT_TRUE(modes);
  EXPECT_NEAR(modes->low_share, 0.3, 0.01);
  EXPECT_NEAR(static_cast<double>(modes->low_ns), 2'000, 60);
  EXPECT_NEAR(static_cast<double>(modes->high_ns), 100'000, 3'000);
}

TEST(TwoModes, OnePeakIsOneHoweverWide) {
  for (const double spread : {0.0, 0.1, 0.5, 1.0, 2.0}) {
    Histogram latencies;
    add(latencies, 80'000, spread, 10'000);
    EXPECT_FALSE(two_modes(latencies)) << spread;
  }
}

TEST(TwoModes, ATailIsNoMode) {
  std::mt19937 random(1);
  std::exponential_distribution<double> exponential;
  Histogram falling, heavy;
  for (int i = 0; i < 10'000; ++i) {
    falling.add(static_cast<std::uint64_t>(100'000 * exponential(random)));
    heavy.add(static_cast<std::uint64_t>(10'000 * std::exp(2 * exponential(random))));
  }
  EXPECT_FALSE(two_modes(falling));
  EXPECT_FALSE(two_modes(heavy));
}

TEST(TwoModes, ASmallSecondPeakIsTheTail) {
  Histogram latencies;
  add(latencies, 80'000, 0.2, 9'500);
  add(latencies, 5'000'000, 0.2, 500);
  EXPECT_FALSE(two_modes(latencies));
}

TEST(TwoModes, NearOnesAreOne) {
  Histogram latencies;
  add(latencies, 80'000, 0.05, 5'000);
  add(latencies, 200'000, 0.05, 5'000);
  EXPECT_FALSE(two_modes(latencies));
}

TEST(TwoModes, FewAreNotJudged) {
  Histogram latencies;
  for (int i = 0; i < 400; ++i) latencies.add(1'000), latencies.add(1'000'000);
  EXPECT_FALSE(two_modes(latencies));
}

}  // namespace
}  // namespace fathom::stats::shape
