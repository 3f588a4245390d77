// Series whose levels are known, with noise, stalls and noise that lasts; and flat ones, which must have one part.
#include "stats/shape/regimes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace fathom::stats::shape {
namespace {

using Values = std::vector<double>;

// `points` values about each level in turn.
Values levels(std::initializer_list<double> of, std::size_t points) {
  Values out;
  for (const double level : of) out.insert(out.end(), points, level);
  return out;
}

enum class Noise { none, small, large, lasting, stalls, skewed };
constexpr Noise kNoises[] = {Noise::none, Noise::small, Noise::large, Noise::lasting, Noise::stalls, Noise::skewed};

Values noisy(Values values, Noise noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  double lasting = 0;
  int point = 0;
  for (auto& value : values) {
    const double z = normal(random);
    lasting = 0.6 * lasting + 0.8 * z;
    switch (noise) {
      case Noise::none:
        break;
      case Noise::small:
        value *= 1 + 0.02 * z;
        break;
      case Noise::large:
        value *= std::exp(0.15 * z);
        break;
      case Noise::lasting:
        value *= std::exp(0.05 * lasting);
        break;
      case Noise::stalls:
        value *= ++point % 16 == 7 ? 0.01 : 1 + 0.03 * z;
        break;
      case Noise::skewed:
        value *= 1 / (1 + 0.1 * z * z);
        break;
    }
  }
  return values;
}

TEST(Regimes, AFlatSeriesHasOne) {
  for (const Noise noise : kNoises)
    for (unsigned seed = 0; seed < 200; ++seed)
      for (const std::size_t points : {10u, 20u, 120u})
        EXPECT_EQ(regimes(noisy(levels({1000}, points), noise, seed)).size(), 1u)
            << "noise " << static_cast<int>(noise) << ", seed " << seed << ", " << points << " points";
}

TEST(Regimes, AChangeIsFoundWithinAPoint) {
  for (const Noise noise : kNoises)
    for (unsigned seed = 0; seed < 50; ++seed)
      for (const double after : {400.0, 2500.0}) {
        const auto parts = regimes(noisy(levels({1000, after}, 20), noise, seed));
        ASSERT_EQ(parts.size(), 2u) << "noise " << static_cast<int>(noise) << " seed " << seed << " to " << after;
        EXPECT_NEAR(static_cast<double>(parts[1].begin), 20, 1) << static_cast<int>(noise) << " seed " << seed;
        EXPECT_NEAR(parts[0].median, 1000, 120);
        EXPECT_NEAR(parts[1].median, after, 0.12 * after);
      }
}

TEST(Regimes, ADipAndABackAreThree) {
  const auto parts = regimes(noisy(levels({1000, 300, 1000}, 15), Noise::small, 1));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].begin, 15u);
  EXPECT_EQ(parts[2].begin, 30u);
}

TEST(Regimes, AStalledTimeIsOne) {
  const auto parts = regimes(levels({1000, 0, 1000}, 6));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].median, 0);
}

TEST(Regimes, SingleStallsAreNone) {
  auto values = levels({1000}, 40);
  values[10] = values[25] = values[26] = 0;
  EXPECT_EQ(regimes(values).size(), 1u);
}

TEST(Regimes, ASmallChangeIsNone) { EXPECT_EQ(regimes(levels({1000, 1200}, 20)).size(), 1u); }

TEST(Regimes, TooFewPointsAreOne) {
  EXPECT_EQ(regimes(Values{}).size(), 1u);
  EXPECT_EQ(regimes(levels({1000, 100, 3}, 2)).size(), 1u);
  EXPECT_EQ(regimes(levels({0}, 50)).size(), 1u);
}

TEST(WarmUp, IsTheBeginThatDiffers) {
  auto values = levels({1000}, 20);
  EXPECT_FALSE(warm_up(values));
  values[0] = 300, values[1] = 500;
  const auto begin = warm_up(values);
  ASSERT_TRUE(begin);
  EXPECT_EQ(begin->end, 2u);
  values[0] = values[1] = 2000;
  EXPECT_EQ(warm_up(values)->end, 2u);
}

TEST(WarmUp, AFlatSeriesHasNone) {
  for (const Noise noise : {Noise::none, Noise::small, Noise::large, Noise::lasting, Noise::skewed})
    for (unsigned seed = 0; seed < 200; ++seed)
      for (const std::size_t points : {16u, 20u, 120u})
        EXPECT_FALSE(warm_up(noisy(levels({1000}, points), noise, seed)))
            << "noise " << static_cast<int>(noise) << ", seed " << seed << ", " << points << " points";
}

TEST(WarmUp, AStallLaterOnExcusesTheBegin) {
  auto values = levels({1000}, 20);
  values[0] = values[9] = 100;
  EXPECT_FALSE(warm_up(values));
}

TEST(WarmUp, AShortSeriesIsNotJudged) {
  auto values = levels({1000}, kFewestForBegin);
  values[0] = 100;
  EXPECT_TRUE(warm_up(values));
  values.pop_back();
  EXPECT_FALSE(warm_up(values));
}

}  // namespace
}  // namespace fathom::stats::shape
