// The cells of the table by latency: their edges, that they leave nothing out, and that each is some whole buckets of the
// histogram, so that an edge of a band is looked up in the one as in the other.
#include "split/band_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/histogram.h"

namespace fathom::split {
namespace {

TEST(BandTable, CellsAreAnEighthOfAnOctave) {
  EXPECT_EQ(cell_of(0), 0u);
  EXPECT_EQ(cell_of(15), 15u);
  EXPECT_EQ(cell_of(16), 16u);
  EXPECT_EQ(cell_of(17), 16u);
  EXPECT_EQ(cell_of(18), 17u);
  EXPECT_EQ(cell_of(1024), cell_of(1151));
  EXPECT_EQ(cell_of(1152), cell_of(1024) + 1);
  EXPECT_EQ(cell_of(2048), cell_of(1024) + 8);
}

TEST(BandTable, EachCellBeginsWhereTheOneBeforeItEnds) {
  for (std::size_t i = 0; i + 1 < kCells; ++i) {
    const auto begin = static_cast<std::uint64_t>(cell_begin(i)), end = static_cast<std::uint64_t>(cell_end(i));
    EXPECT_EQ(cell_of(begin), i);
    EXPECT_EQ(cell_of(end - 1), i);
    EXPECT_EQ(cell_of(end), i + 1);
  }
}

TEST(BandTable, TheLongestLatencyIsInTheLast) {
  EXPECT_EQ(cell_of(~std::uint64_t{0}), kCells - 1);
  EXPECT_EQ(cell_end(kCells - 1), std::ldexp(1.0, 64));
}

TEST(BandTable, EachBucketOfTheHistogramLiesInOneCell) {
  for (std::size_t i = 0; i + 1 < stats::kBuckets; ++i)
    EXPECT_EQ(cell_of(stats::bucket_begin(i)), cell_of(stats::bucket_end(i) - 1)) << i;
}

TEST(BandTable, WhatCameSinceIsTheDifference) {
  BandCell before, now;
  before.ios = 2, before.whole_ns = 20, before.part_ns[0] = 5;
  now = before;
  BandCell more;
  more.ios = 1, more.whole_ns = 11, more.part_ns[0] = 4, more.part_ns[1] = 7;
  now.add(more);
  const BandCell since = now.since(before);
  EXPECT_EQ(since.ios, 1u);
  EXPECT_EQ(since.whole_ns, 11u);
  EXPECT_EQ(since.part_ns[0], 4u);
  EXPECT_EQ(since.part_ns[1], 7u);
}

}  // namespace
}  // namespace fathom::split
