// Latencies by rank in four bands: known answers, a job of one latency, an edge within a bucket, and no latencies at all.
#include "stats/latency_bands.h"

#include <gtest/gtest.h>

#include <numeric>

namespace fathom::stats {
namespace {

double sum(const Banded& of) { return std::accumulate(of.begin(), of.end(), 0.0); }

// 1000 I/Os: 500 of 100 ns, 490 of 1000, 9 of 10000, 1 of 1000000.
Histogram steps() {
  Histogram h;
  h.add(100, 500);
  h.add(1000, 490);
  h.add(10'000, 9);
  h.add(1'000'000, 1);
  return h;
}

TEST(LatencyBands, TheirTimeIsThatOfTheirRanks) {
  const LatencyBands bands(steps());
  const double all = 500 * 100 + 490 * 1000 + 9 * 10'000 + 1'000'000;
  EXPECT_NEAR(bands.time()[0], 50'000 / all, 0.002);
  EXPECT_NEAR(bands.time()[1], 490'000 / all, 0.005);
  EXPECT_NEAR(bands.time()[2], 90'000 / all, 0.002);
  EXPECT_NEAR(bands.time()[3], 1'000'000 / all, 0.01);
  EXPECT_NEAR(sum(bands.time()), 1, 1e-12);
}

TEST(LatencyBands, WhatLiesAtOneStepIsInItsBand) {
  const LatencyBands bands(steps());
  EXPECT_EQ(bands.shares(96, 104), (Banded{1, 0, 0, 0}));
  EXPECT_EQ(bands.shares(960, 1088), (Banded{0, 1, 0, 0}));
  EXPECT_EQ(bands.shares(9728, 10752), (Banded{0, 0, 1, 0}));
  EXPECT_EQ(bands.shares(917'504, 1'048'576), (Banded{0, 0, 0, 1}));
}

TEST(LatencyBands, WhereNobodyIsTheRankThatIsReachedDecides) {
  const LatencyBands bands(steps());
  EXPECT_EQ(bands.shares(1, 2), (Banded{1, 0, 0, 0}));
  EXPECT_EQ(bands.shares(400, 420), (Banded{0, 1, 0, 0}));
  EXPECT_EQ(bands.shares(3000, 4000), (Banded{0, 0, 1, 0}));
  EXPECT_EQ(bands.shares(1e9, 2e9), (Banded{0, 0, 0, 1})) << "longer than all";
}

TEST(LatencyBands, OfOneLatencyEachBandHasItsRanks) {
  Histogram same;
  same.add(5000, 1000);
  const LatencyBands bands(same);
  const auto shares = bands.shares(4608, 5120);
  EXPECT_NEAR(shares[0], 0.5, 1e-12);
  EXPECT_NEAR(shares[1], 0.49, 1e-12);
  EXPECT_NEAR(shares[2], 0.009, 1e-12);
  EXPECT_NEAR(shares[3], 0.001, 1e-12);
  EXPECT_NEAR(bands.time()[1], 0.49, 1e-12);
}

TEST(LatencyBands, ABucketOnAnEdgeIsDividedInProportion) {
  Histogram h;  // 40 % below, 20 % at the edge, 40 % above
  h.add(100, 400);
  h.add(1000, 200);
  h.add(5000, 400);
  const auto shares = LatencyBands(h).shares(960, 1088);
  EXPECT_NEAR(shares[0], 0.5, 1e-12);
  EXPECT_NEAR(shares[1], 0.5, 1e-12);
}

TEST(LatencyBands, EdgesLieAmongTheLatencies) {
  const LatencyBands bands(steps());
  EXPECT_NEAR(bands.edge_ns(0), 100, 1);
  EXPECT_NEAR(bands.edge_ns(1), 101, 1);
  EXPECT_NEAR(bands.edge_ns(2), 1000, 16);
  EXPECT_NEAR(bands.edge_ns(3), 10'000, 160);
  EXPECT_NEAR(bands.edge_ns(4), 1'000'000, 16'000);
}

// A tenth is measured with 333 ns more, which no bucket's width divides: it lies where the others lie, and no rank is lost.
TEST(LatencyBands, SomeMayBeCountedAsShorterThanTheyAre) {
  Histogram others, longer;
  others.add(1000, 5400);
  others.add(3000, 3600);
  longer.add(1333, 600);
  longer.add(3333, 400);
  const LatencyBands bands({{others}, {longer, 333}});
  const auto fast = bands.shares(1280 - 333, 1408 - 333), slow = bands.shares(3328 - 333, 3584 - 333);
  EXPECT_NEAR(fast[0], 0.5 / 0.6, 0.02);
  EXPECT_NEAR(sum(fast), 1, 1e-12);
  EXPECT_EQ(slow[0], 0);
  EXPECT_GT(slow[2], 0);
  EXPECT_EQ(bands.shares(3340, 3400), (Banded{0, 0, 0, 1})) << "nobody is longer";
  EXPECT_NEAR(bands.time()[0], 0.5 / (0.6 + 0.4 * 3), 0.01);
  EXPECT_NEAR(sum(bands.time()), 1, 1e-12);
}

// Of 20 I/Os a fiftieth lies above p99.9, which is none: that band has no time, and what it had is of the band below.
TEST(LatencyBands, ABandWithoutAnIoHasNoTime) {
  Histogram few;
  few.add(1000, 19);
  few.add(1'000'000, 1);
  const LatencyBands bands(few);
  EXPECT_EQ(bands.time()[2], 0);
  EXPECT_EQ(bands.time()[3], 0);
  EXPECT_GT(bands.time()[1], 0.98);
  EXPECT_NEAR(sum(bands.time()), 1, 1e-12);
  Histogram one;
  one.add(5000, 1);
  EXPECT_NEAR(LatencyBands(one).time()[0], 1, 1e-12);
  EXPECT_EQ(LatencyBands(one).time()[1], 0);
  few.add(1000, 480);  // the thousandth of 500 is half an I/O
  EXPECT_GT(LatencyBands(few).time()[3], 0);
}

TEST(LatencyBands, OfNoLatenciesAllIsInTheFirst) {
  const LatencyBands bands{Histogram()};
  EXPECT_EQ(bands.shares(1, 2), (Banded{1, 0, 0, 0}));
  EXPECT_EQ(sum(bands.time()), 0);
  EXPECT_EQ(bands.edge_ns(3), 0);
}

TEST(LatencyBands, TheLongestLatencyThatCanBeHasABand) {
  Histogram h;
  h.add(~std::uint64_t{0}, 3);
  const LatencyBands bands(h);
  EXPECT_NEAR(sum(bands.time()), 1, 1e-12);
  EXPECT_NEAR(sum(bands.shares(1e19, 1.9e19)), 1, 1e-12);
}

}  // namespace
}  // namespace fathom::stats
