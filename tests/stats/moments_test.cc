// Integer moments against the two-pass computation over the samples.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/moments.h"

namespace fathom::stats {
namespace {

Moments of(const std::vector<std::uint64_t>& samples) {
  Moments moments;
  for (auto s : samples) moments.add(s);
  return moments;
}

std::vector<std::uint64_t> any_samples() {
  const auto spread = *rc::gen::inRange(1, 45);
  std::vector<std::uint64_t> samples(*rc::gen::inRange<std::size_t>(2, 200));
  for (auto& s : samples) s = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << spread);
  return samples;
}

RC_GTEST_PROP(MomentsProperty, MatchATwoPassComputation, ()) {
  const auto samples = any_samples();
  const Moments moments = of(samples);
  const long double n = static_cast<long double>(samples.size());
  const long double mean = std::accumulate(samples.begin(), samples.end(), 0.0L) / n;
  long double squares = 0;
  for (auto s : samples) squares += (static_cast<long double>(s) - mean) * (static_cast<long double>(s) - mean);
  const double stddev = static_cast<double>(std::sqrt(squares / (n - 1)));
  RC_ASSERT(std::abs(moments.mean() - static_cast<double>(mean)) <= static_cast<double>(mean) * 1e-12);
  RC_ASSERT(std::abs(moments.stddev() - stddev) <= stddev * 1e-9 + 1e-6);
  RC_ASSERT(moments.min() == *std::min_element(samples.begin(), samples.end()));
  RC_ASSERT(moments.max == *std::max_element(samples.begin(), samples.end()));
  RC_ASSERT(moments.n == samples.size());
}

RC_GTEST_PROP(MomentsProperty, MergeEqualsConcatenation, ()) {
  const auto a = any_samples(), b = any_samples();
  auto both = a;
  both.insert(both.end(), b.begin(), b.end());
  Moments merged = of(a);
  merged.merge(of(b));
  const Moments whole = of(both);
  RC_ASSERT(merged.n == whole.n);
  RC_ASSERT(merged.sum == whole.sum);
  RC_ASSERT(merged.sum_squares == whole.sum_squares);
  RC_ASSERT(merged.min() == whole.min() && merged.max == whole.max);
}

TEST(Moments, AreZeroOrTheValueForEmptyAndSingle) {
  EXPECT_EQ(Moments{}.min(), 0u);
  EXPECT_EQ(Moments{}.mean(), 0.0);
  EXPECT_EQ(of({7}).min(), 7u);
  EXPECT_EQ(of({7}).stddev(), 0.0);
  EXPECT_EQ(of({0}).min(), 0u);
}

TEST(Moments, MergingAnEmptyOneChangesNothing) {
  Moments moments = of({5, 9});
  moments.merge(Moments{});
  EXPECT_EQ(moments.min(), 5u);
  Moments empty;
  empty.merge(of({5, 9}));
  EXPECT_EQ(empty.min(), 5u);
  EXPECT_EQ(empty.max, 9u);
}

// Large values that differ little: sums of doubles would lose the deviation altogether.
TEST(Moments, KeepASmallSpreadOfLargeValues) {
  const std::uint64_t second = 1'000'000'000;
  Moments moments;
  for (int i = 0; i < 1'000'000; ++i) moments.add(second + (i % 2));
  EXPECT_NEAR(moments.stddev(), 0.5, 1e-3);
}

}  // namespace
}  // namespace fathom::stats
