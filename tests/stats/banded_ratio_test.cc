// The banded estimate: sums that can be done by hand, a stall that one slice has seen and the job's histogram knows the
// weight of, and how often the interval holds the truth.
#include "stats/banded_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/prng.h"

namespace fathom::stats {
namespace {

BandedGroup group(double part0, double whole0, double part3 = 0, double whole3 = 0) {
  return {{part0, 0, 0, part3}, {whole0, 0, 0, whole3}};
}

TEST(BandedRatio, NothingGivesNothing) {
  const auto none = jackknife_banded({}, {1, 0, 0, 0});
  EXPECT_EQ(none.value, 0);
  EXPECT_LT(none.half_width, 0);
}

TEST(BandedRatio, IsTheWeightedSumOfItsBands) {
  const std::vector<BandedGroup> groups(12, group(2, 8, 9, 10));
  EXPECT_DOUBLE_EQ(jackknife_banded(groups, {0.6, 0, 0, 0.4}).value, 0.6 * 0.25 + 0.4 * 0.9);
  EXPECT_NEAR(jackknife_banded(groups, {0.6, 0, 0, 0.4}).half_width, 0, 1e-12);
}

TEST(BandedRatio, ABandWithoutWeightIsLeftOut) {
  const std::vector<BandedGroup> groups(12, group(2, 8, 9, 10));
  EXPECT_DOUBLE_EQ(jackknife_banded(groups, {0.6, 0, 0, 0}).value, 0.15);
  EXPECT_LT(jackknife_banded(groups, {}).half_width, 0) << "no band has a ratio";
}

TEST(BandedRatio, FewerThanThreeGroupsHaveNoInterval) {
  const std::vector<BandedGroup> two = {group(1, 4), group(3, 4)};
  EXPECT_DOUBLE_EQ(jackknife_banded(two, {1, 0, 0, 0}).value, 0.5);
  EXPECT_LT(jackknife_banded(two, {1, 0, 0, 0}).half_width, 0);
}

// How much of the time was stalls is known: more or fewer slices with one change the estimate by nothing.
TEST(BandedRatio, WeighsWhatWasSeenByWhatTheJobHad) {
  std::vector<BandedGroup> groups;
  for (int i = 0; i < 100; ++i) groups.push_back(i < 10 ? group(2, 8, 90, 100) : group(2, 8));
  const auto few = jackknife_banded(groups, {0.5, 0, 0, 0.5}).value;
  for (int i = 0; i < 50; ++i) groups[static_cast<std::size_t>(i)] = group(2, 8, 90, 100);
  EXPECT_DOUBLE_EQ(jackknife_banded(groups, {0.5, 0, 0, 0.5}).value, few);
}

// By hand: contributions of one band of equal wholes are Student's, as of the plain ratio.
TEST(BandedRatio, OfOneBandIsThePlainRatio) {
  const std::vector<BandedGroup> groups = {group(0.4, 1), group(0.6, 1), group(0.4, 1), group(0.6, 1)};
  const auto banded = jackknife_banded(groups, {1, 0, 0, 0});
  const auto plain = jackknife_band(groups, 0);
  EXPECT_DOUBLE_EQ(banded.value, plain.value);
  EXPECT_NEAR(banded.half_width, plain.half_width, 1e-9);
  EXPECT_EQ(jackknife_band(groups, 3).groups, 0u);
}

double normal(base::Prng& prng) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += prng.unit();
  return sum - 6;
}

constexpr Banded kTrue = {0.2, 0.35, 0.6, 0.9}, kWeights = {0.3, 0.4, 0.1, 0.2};
constexpr Banded kSeen = {1, 1, 0.7, 0.15};  // how many slices have any of the band
constexpr Banded kScatter = {0.03, 0.04, 0.1, 0.05};

// One slice's weather is in all its bands: they go up and down together, and each by itself as well.
BandedGroup draw_banded(base::Prng& prng) {
  BandedGroup g;
  const double load = std::exp(0.3 * normal(prng)), weather = normal(prng);
  for (std::size_t b = 0; b < kBands; ++b) {
    if (prng.unit() >= kSeen[b]) continue;
    g.whole[b] = 100 * load * std::exp(0.3 * normal(prng));
    g.part[b] = g.whole[b] * (kTrue[b] + kScatter[b] * (0.7 * weather + 0.7 * normal(prng)));
  }
  return g;
}

// Of bands with ten slices and more, and of those that are left out for having fewer: the truth is that of the others.
int held_in_experiments(int experiments, int slices, std::uint64_t seed) {
  base::Prng prng(seed);
  int held = 0;
  for (int i = 0; i < experiments; ++i) {
    std::vector<BandedGroup> groups;
    for (int s = 0; s < slices; ++s) groups.push_back(draw_banded(prng));
    Banded weights = kWeights;
    double truth = 0;
    for (std::size_t b = 0; b < kBands; ++b) {
      if (jackknife_band(groups, b).groups < kFewestInBand) weights[b] = 0;
      truth += weights[b] * kTrue[b];
    }
    const auto found = jackknife_banded(groups, weights);
    held += std::abs(found.value - truth) <= found.half_width ? 1 : 0;
  }
  return held;
}

TEST(BandedRatio, TimedIntervalHoldsTheTruthInNineteenOfTwentyExperiments) {
  for (const int slices : {16, 60, 200}) {
    const int held = held_in_experiments(1000, slices, 2026);
    EXPECT_GE(held, 930) << slices << " slices";
    EXPECT_LE(held, 970) << slices << " slices";
  }
}

// One slice in a hundred sees the band with most of the time: its scatter is that of a dozen slices, not of a thousand.
TEST(BandedRatio, TimedIntervalHoldsTheTruthWhereFewSlicesHaveSeenTheTail) {
  base::Prng prng(7);
  int held = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<BandedGroup> groups;
    for (int s = 0; s < 1200; ++s) {
      const double whole = 1000 * std::exp(0.3 * normal(prng));
      groups.push_back(s % 100 == 0 ? group(2, 8, whole * (0.7 + 0.1 * normal(prng)), whole) : group(2, 8));
    }
    const auto found = jackknife_banded(groups, {0.2, 0, 0, 0.8});
    held += std::abs(found.value - (0.05 + 0.8 * 0.7)) <= found.half_width ? 1 : 0;
  }
  EXPECT_GE(held, 930);
  EXPECT_LE(held, 970);
}

}  // namespace
}  // namespace fathom::stats
