// The knee of a queue with one server lies at half of what it can do; at an edge none is seen.
#include "stats/loads/knee.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/loads/mm1.h"

namespace fathom::stats::loads {
namespace {

using namespace testing;

std::vector<LoadPower> curve(const std::vector<double>& loads, std::size_t runs, double scatter, base::Prng& random) {
  const Mm1 queue{10'000};
  std::vector<LoadPower> points;
  for (const double load : loads) {
    points.push_back({load, {}});
    for (std::size_t i = 0; i < runs; ++i)
      points.back().log_power.push_back(std::log(load * (queue.served_per_s - load)) + scatter * normal(random));
  }
  return points;
}

const std::vector<double> kLoads = {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000};

TEST(Knee, OfAQueueIsAtHalfOfWhatItServes) {
  base::Prng random(1);
  const auto knee = knee_of(curve(kLoads, 3, 0, random));
  EXPECT_EQ(knee.seen, Knee::Seen::yes);
  EXPECT_EQ(kLoads[knee.at], 5000);
  EXPECT_EQ(knee.low, 4000);
  EXPECT_EQ(knee.high, 6000);
  EXPECT_FALSE(knee.open_below || knee.open_above);
}

TEST(Knee, ItsIntervalHoldsItHoweverRunsScatter) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    base::Prng random(seed);
    const auto knee = knee_of(curve({800, 1700, 2700, 3600, 4700, 5400, 6600, 7700, 9100}, 3, 0.05, random));
    held += knee.low <= 5000 && 5000 <= knee.high ? 1 : 0;
  }
  EXPECT_GE(held, 950);
}

TEST(Knee, AtAnEdgeNoneIsSeen) {
  base::Prng random(1);
  EXPECT_EQ(knee_of(curve({1000, 2000, 3000}, 3, 0.01, random)).seen, Knee::Seen::at_highest);
  EXPECT_EQ(knee_of(curve({6000, 7000, 8000}, 3, 0.01, random)).seen, Knee::Seen::at_lowest);
  EXPECT_EQ(knee_of(curve({5000}, 3, 0.01, random)).seen, Knee::Seen::at_highest);
  EXPECT_EQ(knee_of({}).seen, Knee::Seen::no_points);
}

TEST(Knee, ALoadAsGoodAtTheEdgeLeavesItsIntervalOpen) {
  const std::vector<LoadPower> points = {{1, {1.0, 1.1}}, {2, {1.02, 1.12}}, {3, {0.1, 0.2}}};
  const auto knee = knee_of(points);
  EXPECT_EQ(knee.seen, Knee::Seen::yes);
  EXPECT_TRUE(knee.open_below);
  EXPECT_FALSE(knee.open_above);
  EXPECT_EQ(knee.high, 3);
}

// Beyond the knee runs scatter by a factor; that makes no load below it as good as the best.
TEST(Knee, WhatScattersFarAwayIsNotTheNeighboursScatter) {
  const std::vector<LoadPower> points = {
      {1, {1.0, 1.01}}, {2, {1.7, 1.71}}, {3, {2.1, 2.11}}, {4, {0.5, -1.5}}, {5, {-2, 0.1}}};
  const auto knee = knee_of(points);
  EXPECT_EQ(knee.at, 2u);
  EXPECT_EQ(knee.low, 2);
}

TEST(Knee, OfSingleRunsNoScatterIsKnown) {
  base::Prng random(1);
  EXPECT_FALSE(knee_of(curve(kLoads, 1, 0.01, random)).scatter_known);
  EXPECT_TRUE(knee_of(curve(kLoads, 2, 0.01, random)).scatter_known);
}

}  // namespace
}  // namespace fathom::stats::loads
