// Against Histogram, of random counts, some of which take several words.
#include "run/sampling/packed_histogram.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace fathom::run::sampling {
namespace {

using Counts = std::map<std::uint32_t, std::uint64_t>;

Counts drawn(std::mt19937_64& random) {
  Counts counts;
  for (std::size_t i = random() % 200; i > 0; --i)
    counts[random() % stats::kBuckets] = 1 + (random() >> (random() % 60 + 4));
  return counts;
}

PackedHistogram packed(const Counts& counts) {
  PackedHistogram h;
  for (const auto& [bucket, count] : counts) h.append(bucket, count & 0xffffff);
  return h;
}

stats::Histogram plain(const Counts& counts) {
  std::vector<stats::Histogram::Bin> bins;
  for (const auto& [bucket, count] : counts)
    if ((count & 0xffffff) > 0) bins.push_back({bucket, count & 0xffffff});
  return stats::Histogram::of_bins(bins);
}

TEST(PackedHistogram, HoldsAndMergesWhatAHistogramDoes) {
  std::mt19937_64 random(20);
  for (int turn = 0; turn < 500; ++turn) {
    const Counts a = drawn(random), b = drawn(random);
    auto sum = packed(a);
    EXPECT_EQ(sum.unpacked(), plain(a));
    sum.merge(packed(b));
    auto expected = plain(a);
    expected.merge(plain(b));
    ASSERT_EQ(sum.unpacked(), expected);
    ASSERT_EQ(sum.unpacked().total(), expected.total());
  }
}

TEST(PackedHistogram, ABucketTakesAWord) {
  PackedHistogram h;
  h.append(7, 0);
  EXPECT_TRUE(h.empty());
  for (std::size_t bucket = 0; bucket < stats::kBuckets; bucket += 100) h.append(bucket, (1u << 20) - 1);
  EXPECT_EQ(h.words(), (stats::kBuckets + 99) / 100);
  h.append(stats::kBuckets - 1, 1u << 20);
  EXPECT_EQ(h.words(), (stats::kBuckets + 99) / 100 + 2);
}

}  // namespace
}  // namespace fathom::run::sampling
