// Edges against fio's bucket rule, percentiles against a sorted vector, merging against concatenation.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "stats/histogram.h"

namespace fathom::stats {
namespace {

// The rule of fio's plat buckets in its own words: below 128 a value is its bucket; above, the bits under the top seven
// are dropped, and the bucket counts 64 for each dropped bit.
std::size_t fio_bucket(std::uint64_t value) {
  unsigned top = 0;
  for (std::uint64_t v = value; v > 1; v >>= 1) ++top;
  if (top <= 6) return static_cast<std::size_t>(value);
  const unsigned dropped = top - 6;
  const std::size_t base = std::size_t{dropped + 1} * 64;
  return base + static_cast<std::size_t>((value >> dropped) & 63);
}

TEST(HistogramBuckets, EndAtFios1856BelowItsLimit) {
  EXPECT_EQ(kFioBuckets, 1856u);
  EXPECT_EQ(bucket_of((std::uint64_t{1} << 34) - 1), kFioBuckets - 1);
  EXPECT_EQ(bucket_of(std::uint64_t{1} << 34), kFioBuckets);
}

TEST(HistogramBuckets, BeginAndEndMapBackToTheBucket) {
  for (std::size_t i = 0; i < kBuckets; ++i) {
    ASSERT_EQ(bucket_of(bucket_begin(i)), i);
    ASSERT_EQ(bucket_of(bucket_end(i) - 1), i);
    ASSERT_EQ(bucket_of(bucket_value(i)), i);
    if (i + 1 < kBuckets) {
      ASSERT_EQ(bucket_end(i), bucket_begin(i + 1));
    }
  }
}

TEST(HistogramBuckets, ValuesAreTheMiddlesThatFioPrints) {
  EXPECT_EQ(bucket_value(bucket_of(127)), 127u);
  EXPECT_EQ(bucket_value(bucket_of(151)), 151u);
  EXPECT_EQ(bucket_value(bucket_of(411)), 410u);
  EXPECT_EQ(bucket_value(bucket_of(5'000)), 5'024u);
  EXPECT_EQ(bucket_value(bucket_of(13'430)), 13'376u);
  EXPECT_EQ(bucket_value(bucket_of(2'338'853)), 2'342'912u);
}

TEST(HistogramBuckets, CoverAll64BitValues) {
  EXPECT_EQ(bucket_of(~std::uint64_t{0}), kBuckets - 1);
  EXPECT_EQ(bucket_of(std::uint64_t{127} << 57), kBuckets - 1);
  EXPECT_EQ(bucket_of((std::uint64_t{127} << 57) - 1), kBuckets - 2);
}

std::uint64_t any_latency() {
  const auto bits = *rc::gen::inRange(0, 63);
  return *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << bits | 1);
}

RC_GTEST_PROP(HistogramProperty, BucketIndexMatchesFios, ()) {
  const std::uint64_t value = any_latency();
  RC_ASSERT(bucket_of(value) == fio_bucket(value));
}

RC_GTEST_PROP(HistogramProperty, ValueIsKnownWithinOneIn128, ()) {
  const std::uint64_t value = any_latency();
  const double error = std::abs(static_cast<double>(bucket_value(bucket_of(value))) - static_cast<double>(value));
  RC_ASSERT(error <= static_cast<double>(value) * kRelativeError);
}

RC_GTEST_PROP(HistogramProperty, BucketIndexIsMonotonic, ()) {
  const std::uint64_t a = any_latency(), b = any_latency();
  RC_ASSERT(bucket_of(std::min(a, b)) <= bucket_of(std::max(a, b)));
}

std::vector<std::uint64_t> any_latencies() {
  std::vector<std::uint64_t> samples(*rc::gen::inRange<std::size_t>(1, 300));
  for (auto& s : samples) s = any_latency();
  return samples;
}

// Nearest rank over the sorted samples, in integer thousandths of a percent so that the oracle has no rounding.
std::uint64_t nearest_rank(std::vector<std::uint64_t> samples, std::uint64_t thousandths) {
  std::sort(samples.begin(), samples.end());
  const std::uint64_t rank = (thousandths * samples.size() + 99'999) / 100'000;
  return samples[std::max<std::uint64_t>(rank, 1) - 1];
}

RC_GTEST_PROP(HistogramProperty, PercentileIsTheBucketOfTheNearestRank, ()) {
  const auto samples = any_latencies();
  const auto thousandths = *rc::gen::inRange<std::uint64_t>(1, 100'001);
  const std::uint64_t found = Histogram::of_samples(samples).percentile(static_cast<double>(thousandths) / 1000.0);
  RC_ASSERT(found == bucket_value(bucket_of(nearest_rank(samples, thousandths))));
}

RC_GTEST_PROP(HistogramProperty, ManyPercentilesMatchTheSingleOnes, ()) {
  const auto histogram = Histogram::of_samples(any_latencies());
  const std::vector<double> list = {1, 5, 50, 90, 99, 99.9, 99.99, 100};
  const auto together = histogram.percentiles(list);
  for (std::size_t i = 0; i < list.size(); ++i) RC_ASSERT(together[i] == histogram.percentile(list[i]));
}

RC_GTEST_PROP(HistogramProperty, MergeEqualsConcatenation, ()) {
  const auto a = any_latencies(), b = any_latencies();
  auto both = a;
  both.insert(both.end(), b.begin(), b.end());
  Histogram merged = Histogram::of_samples(a);
  merged.merge(Histogram::of_samples(b));
  RC_ASSERT(merged.bins() == Histogram::of_samples(both).bins());
  RC_ASSERT(merged.total() == both.size());
}

RC_GTEST_PROP(HistogramProperty, RawAndCollectedAgree, ()) {
  const auto samples = any_latencies();
  const auto raw = std::make_unique<RawHistogram>();
  for (auto s : samples) raw->add(s);
  RC_ASSERT(Histogram(*raw).bins() == Histogram::of_samples(samples).bins());
}

RC_GTEST_PROP(HistogramProperty, CountUpToCountsBucketValues, ()) {
  const auto samples = any_latencies();
  const std::uint64_t limit = any_latency();
  const auto expected = std::count_if(samples.begin(), samples.end(),
                                      [&](std::uint64_t s) { return bucket_value(bucket_of(s)) <= limit; });
  RC_ASSERT(Histogram::of_samples(samples).count_up_to(limit) == static_cast<std::uint64_t>(expected));
}

TEST(Histogram, EmptyGivesZeros) {
  const Histogram empty;
  EXPECT_EQ(empty.percentile(50), 0u);
  EXPECT_EQ(empty.count_up_to(~std::uint64_t{0}), 0u);
  EXPECT_TRUE(Histogram(*std::make_unique<RawHistogram>()).empty());
}

// 0.999 * 1000 is 999.0000000000001 in binary: the rank must stay 999.
TEST(Histogram, PercentileOfAWholeRankIsNotRoundedUp) {
  Histogram h;
  h.add(1, 999);
  h.add(100, 1);
  EXPECT_EQ(h.percentile(99.9), 1u);
  EXPECT_EQ(h.percentile(99.95), 100u);
}

// fio puts everything above 17.18 s into its last bucket.
TEST(Histogram, DoesNotSaturateAt17Seconds) {
  for (double seconds : {17.0, 18.0, 60.0, 3600.0, 86'400.0}) {
    const auto ns = static_cast<std::uint64_t>(seconds * 1e9);
    EXPECT_NEAR(static_cast<double>(Histogram::of_samples({&ns, 1}).percentile(50)), seconds * 1e9,
                seconds * 1e9 * kRelativeError);
  }
}

}  // namespace
}  // namespace fathom::stats
