// No percentile above the largest sample or below the smallest; everything between is the histogram's.
#include "stats/percentiles.h"

#include <gtest/gtest.h>

#include <array>

namespace fathom::stats {
namespace {

struct Samples {
  Moments moments;
  Histogram histogram;
  void add(std::uint64_t ns, std::uint64_t times = 1) {
    moments.add_many(ns, times);
    histogram.add(ns, times);
  }
};

constexpr std::array<double, 4> kAsked = {1, 50, 99, 100};

TEST(Percentiles, OfASingleSampleAreThatSample) {
  for (const std::uint64_t ns : {1u, 127u, 1000u, 9'090'000u}) {
    Samples s;
    s.add(ns);
    for (const auto v : percentiles_within(s.histogram, s.moments, kAsked)) EXPECT_EQ(v, ns);
  }
}

// 9,043,968 begins a bucket of 131,072: its middle is 9,109,504.
TEST(Percentiles, AreCappedAtTheLargestSample) {
  Samples s;
  s.add(1000, 10);
  s.add(9'043'970);
  ASSERT_GT(s.histogram.percentile(100), s.moments.max);
  EXPECT_EQ(percentile_within(s.histogram, s.moments, 100), 9'043'970u);
}

// 1,059,661 lies in the upper half of its bucket: the middle is below it.
TEST(Percentiles, AHundredIsTheMaximum) {
  Samples s;
  s.add(1000, 10);
  s.add(1'059'661);
  ASSERT_LT(s.histogram.percentile(100), s.moments.max);
  EXPECT_EQ(percentile_within(s.histogram, s.moments, 100), 1'059'661u);
}

TEST(Percentiles, AreRaisedToTheSmallestSample) {
  Samples s;
  const std::uint64_t last_of_a_bucket = bucket_end(bucket_of(9'043'970)) - 1;
  s.add(last_of_a_bucket);
  s.add(20'000'000, 10);
  ASSERT_LT(s.histogram.percentile(1), s.moments.min());
  EXPECT_EQ(percentile_within(s.histogram, s.moments, 1), last_of_a_bucket);
}

TEST(Percentiles, AreTheHistogramsBetweenMinimumAndMaximum) {
  Samples s;
  for (std::uint64_t i = 1; i <= 1000; ++i) s.add(i * 1000);
  for (const double p : {10.0, 50.0, 90.0, 99.0})
    EXPECT_EQ(percentile_within(s.histogram, s.moments, p), s.histogram.percentile(p));
}

TEST(Percentiles, AreTheHistogramsWithoutMoments) {
  Samples s;
  s.add(9'043'970);
  EXPECT_EQ(percentile_within(s.histogram, Moments{}, 99), s.histogram.percentile(99));
  EXPECT_EQ(percentile_within(Histogram{}, s.moments, 99), 0u);
}

}  // namespace
}  // namespace fathom::stats
