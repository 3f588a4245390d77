// The jackknife of a ratio over groups: sums that can be done by hand, and how often its interval holds the truth.
#include "stats/ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/prng.h"

namespace fathom::stats {
namespace {

TEST(JackknifeRatio, NoGroupsGiveNothing) {
  const auto none = jackknife_ratio({});
  EXPECT_EQ(none.groups, 0u);
  EXPECT_EQ(none.value, 0);
  EXPECT_LT(none.half_width, 0);
}

TEST(JackknifeRatio, FewerThanThreeGroupsHaveNoInterval) {
  const std::vector<RatioGroup> two = {{1, 4}, {3, 4}};
  const auto ratio = jackknife_ratio(two);
  EXPECT_DOUBLE_EQ(ratio.value, 0.5);
  EXPECT_EQ(ratio.groups, 2u);
  EXPECT_LT(ratio.half_width, 0);
}

TEST(JackknifeRatio, EqualGroupsLeaveNoDoubt) {
  const std::vector<RatioGroup> same(10, RatioGroup{2, 8});
  const auto ratio = jackknife_ratio(same);
  EXPECT_DOUBLE_EQ(ratio.value, 0.25);
  EXPECT_NEAR(ratio.half_width, 0, 1e-12);
}

// Of equal wholes the ratio is a mean, and the jackknife is Student's interval of it: sd 0.1, n 4, t 3.182.
TEST(JackknifeRatio, OfEqualWholesIsStudentsIntervalOfTheMean) {
  const std::vector<RatioGroup> groups = {{0.4, 1}, {0.5, 1}, {0.6, 1}, {0.5, 1}};
  const auto ratio = jackknife_ratio(groups);
  EXPECT_DOUBLE_EQ(ratio.value, 0.5);
  EXPECT_NEAR(ratio.half_width, 3.182 * std::sqrt(0.02 / 3) / 2, 1e-4);
}

TEST(JackknifeRatio, GroupsWithoutAWholeDoNotCount) {
  const std::vector<RatioGroup> groups = {{1, 2}, {0, 0}, {1, 2}, {0, 0}, {1, 2}};
  const auto ratio = jackknife_ratio(groups);
  EXPECT_EQ(ratio.groups, 3u);
  EXPECT_DOUBLE_EQ(ratio.value, 0.5);
}

// A whole that varies by half and a part that varies with it and by itself.
RatioGroup draw(base::Prng& prng) {
  double normal = 0, other = 0;
  for (int i = 0; i < 12; ++i) normal += prng.unit(), other += prng.unit();
  const double whole = 100 * std::exp(0.5 * (normal - 6)), share = 0.3 + 0.05 * (other - 6);
  return {share * whole, whole};
}

TEST(JackknifeRatio, IntervalHoldsTheTruthInNineteenOfTwentyExperiments) {
  base::Prng prng(2026);
  int held = 0;
  constexpr int kExperiments = 1000;
  for (int i = 0; i < kExperiments; ++i) {
    std::vector<RatioGroup> groups;
    for (int g = 0; g < 40; ++g) groups.push_back(draw(prng));
    const auto ratio = jackknife_ratio(groups);
    held += std::abs(ratio.value - 0.3) <= ratio.half_width ? 1 : 0;
  }
  EXPECT_GE(held, 0.93 * kExperiments);
  EXPECT_LE(held, 0.97 * kExperiments);
}

}  // namespace
}  // namespace fathom::stats
