// Hot sets that are known to stay, to move and to move in part, through the noise of counted bits.
#include "paging/learn/fit/hot_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"
#include "pattern/permutation.h"

namespace fathom::paging::learn {
namespace {

constexpr unsigned kResidentPages = 2048, kIntervals = 8;

// The page of rank r is (r + place) in a scattered order; every `every` windows `share` of the ranks take another
// place.
fit::WindowCounts simulate_windows(double theta, unsigned windows, double every, double share, double phase = 0.4) {
  base::Prng prng(5);
  fit::WindowCounts out(windows, std::vector<std::uint16_t>(kResidentPages, 0));
  const pattern::Permutation scatter(kResidentPages, 3);
  for (unsigned w = 0; w < windows; ++w)
    for (unsigned i = 0; i < kIntervals; ++i) {
      const double now = w + static_cast<double>(i) / kIntervals;
      const auto moved = every > 0 ? static_cast<unsigned>((now + phase * every) / every) : 0;
      for (unsigned rank = 0; rank < kResidentPages; ++rank) {
        const bool moves = rank % 100 < share * 100;
        const unsigned page = moves ? (rank + moved * 600) % kResidentPages : rank;
        const double rate = 0.3 * std::pow((rank + 1) / (kResidentPages / 2.0), -theta);
        out[w][scatter(page)] += prng.unit() < -std::expm1(-rate);
      }
    }
  return out;
}

TEST(FindMovement, AStableHotSetHasNoMoves) {
  for (const double theta : {0.8, 0.99, 1.2}) {
    const fit::HotMovement found = fit::find_movement(simulate_windows(theta, 40, 0, 0), 0.5);
    EXPECT_TRUE(found.known) << theta;
    EXPECT_EQ(found.moves, 0u) << theta;
    EXPECT_EQ(found.every_s, 0) << theta;
  }
}

TEST(FindMovement, AMovingHotSetsPeriodAndShareAreRecovered) {
  for (const double every : {4.0, 7.3, 10.0}) {
    const fit::HotMovement found = fit::find_movement(simulate_windows(0.99, 40, every, 1), 0.5);
    ASSERT_TRUE(found.known);
    EXPECT_NEAR(found.moves, 40 / every, 1) << every;
    EXPECT_NEAR(found.every_s, every * 0.5, 0.3) << every;
    EXPECT_GT(found.share, 0.6) << every;
    EXPECT_LT(found.jaccard_least, found.jaccard_noise) << every;
  }
}

TEST(FindMovement, APartialMovesPeriodAndShareAreRecovered) {
  const fit::HotMovement found = fit::find_movement(simulate_windows(0.99, 40, 8, 0.6), 1);
  ASSERT_TRUE(found.known);
  EXPECT_NEAR(found.every_s, 8, 1);
  EXPECT_NEAR(found.share, 0.6, 0.2);
}

TEST(FindMovement, ASingleMoveGivesTheLeastPeriod) {
  const fit::HotMovement found = fit::find_movement(simulate_windows(0.99, 20, 14, 1, 0), 1);
  EXPECT_EQ(found.moves, 1u);
  EXPECT_NEAR(found.every_s, 14, 1 + 1e-9);
}

TEST(FindMovement, AHotSetThatMovesEveryIntervalIsFasterThanSeen) {
  fit::ZipfFit law;
  law.theta = 0.99, law.pages = kResidentPages, law.log_rate = std::log(0.3 * std::pow(2 / std::exp(1.0), -0.99)),
  law.valid = true;
  const double expected = fit::expected_overlap(law, kIntervals);
  const fit::HotMovement still = fit::find_movement(simulate_windows(0.99, 30, 0, 0), 1, expected);
  EXPECT_NEAR(still.noise_overlap, expected, 0.05);
  EXPECT_FALSE(still.faster_than_seen);
  const fit::HotMovement fast = fit::find_movement(simulate_windows(0.99, 30, 0.5, 1), 1, expected);
  EXPECT_TRUE(fast.faster_than_seen);
  EXPECT_FALSE(fast.known);
}

TEST(FindMovement, EqualRatesOrTooFewWindowsAreUnknown) {
  EXPECT_FALSE(fit::find_movement(simulate_windows(0, 40, 0, 0), 1).known);
  EXPECT_FALSE(fit::find_movement(simulate_windows(0.99, 5, 0, 0), 1).known) << "too few windows";
}

}  // namespace
}  // namespace fathom::paging::learn
