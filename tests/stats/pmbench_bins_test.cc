// pmbench's geometry: the paper's own example, every edge, totals, and that our finer histogram loses nothing by it.
#include "stats/pmbench_bins.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace fathom::stats {
namespace {

Histogram one(std::uint64_t ns) {
  Histogram h;
  h.add(ns);
  return h;
}

// "9,231 ns will increment the 3rd counter in the 8,192 (2^13) - 16,384 (2^14) ns bucket": index 6 of pmbench, whose
// index 1 is 2^8.
TEST(PmbenchBins, PutThePapersExampleInItsBin) {
  const auto bins = pmbench_view(one(9'231));
  EXPECT_EQ(bins.octaves[6 - 1][2], 1u);
  EXPECT_EQ(bins.total(), 1u);
  EXPECT_EQ(pmbench_peak(bins).begin_ns, 9'216u);
  EXPECT_EQ(pmbench_peak(bins).end_ns, 9'728u);
}

TEST(PmbenchBins, EveryEdgeIsAHistogramEdge) {
  int edges = 0;
  for_each_pmbench_bin({}, [&](const PmbenchPeak& bin) {
    ++edges;
    if (bin.begin_ns == 0) return;
    EXPECT_EQ(bucket_begin(bucket_of(bin.begin_ns)), bin.begin_ns);
    EXPECT_NE(bucket_of(bin.begin_ns - 1), bucket_of(bin.begin_ns));
  });
  EXPECT_EQ(edges, 1 + 15 * 16 + 8);
}

TEST(PmbenchBins, FirstAndLastValueOfEveryBinFallIntoIt) {
  for_each_pmbench_bin({}, [&](const PmbenchPeak& bin) {
    for (std::uint64_t ns : {bin.begin_ns, (bin.begin_ns + bin.end_ns) / 2, bin.end_ns - 1}) {
      const auto peak = pmbench_peak(pmbench_view(one(ns)));
      EXPECT_EQ(peak.begin_ns, bin.begin_ns) << ns;
      EXPECT_EQ(peak.count, 1u) << ns;
      PmbenchBins direct;
      direct.add(ns);
      EXPECT_EQ(pmbench_peak(direct).begin_ns, bin.begin_ns) << ns;
    }
  });
}

TEST(PmbenchBins, BinsFollowEachOtherWithoutAGap) {
  std::uint64_t end = 0;
  for_each_pmbench_bin({}, [&](const PmbenchPeak& bin) {
    EXPECT_EQ(bin.begin_ns, end);
    end = bin.end_ns;
  });
  EXPECT_EQ(end, std::uint64_t{1} << 32);
}

TEST(PmbenchBins, LongerValuesAreInTheLastBin) {
  const auto bins = pmbench_view(one(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(bins.high[kPmbenchHighBins - 1], 1u);
}

TEST(PmbenchBins, EmptyBinsHaveNoPeak) {
  EXPECT_EQ(pmbench_peak({}).count, 0u);
  EXPECT_EQ(PmbenchBins{}.total(), 0u);
}

RC_GTEST_PROP(PmbenchBins, ViewMatchesCountingEachSample, (const std::vector<std::uint32_t>& samples)) {
  Histogram h;
  PmbenchBins direct;
  for (const std::uint64_t ns : samples) {
    h.add(ns * std::uint64_t{3});
    direct.add(ns * std::uint64_t{3});
  }
  const auto view = pmbench_view(h);
  RC_ASSERT(view.total() == samples.size());
  RC_ASSERT(view.below_256_ns == direct.below_256_ns);
  RC_ASSERT(view.octaves == direct.octaves);
  RC_ASSERT(view.high == direct.high);
}

RC_GTEST_PROP(PmbenchBins, MergingAddsBins,
              (const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b)) {
  PmbenchBins left, right, both;
  for (auto ns : a) left.add(ns), both.add(ns);
  for (auto ns : b) right.add(ns), both.add(ns);
  left.merge(right);
  RC_ASSERT(left.below_256_ns == both.below_256_ns);
  RC_ASSERT(left.octaves == both.octaves);
  RC_ASSERT(left.high == both.high);
}

}  // namespace
}  // namespace fathom::stats
