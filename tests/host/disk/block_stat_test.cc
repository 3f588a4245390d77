// The block layer's counters: three kernels' formats, differences across a wrap, utilisation.
#include "host/disk/block_stat.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace fathom::host::disk {
namespace {

using C = BlockColumn;

TEST(BlockStat, ReadsSeventeenColumns) {
  const auto s = parse_block_stat(
      "   31780     8449  2512058     7992     8771     5939   407600     1824        7     5484    10243     4942     "
      "  "
      "49   130792      345     1534       81\n");
  EXPECT_EQ(s[C::read_ios], 31780u);
  EXPECT_EQ(s[C::read_sectors], 2512058u);
  EXPECT_EQ(s[C::write_ticks_ms], 1824u);
  EXPECT_EQ(s[C::in_flight], 7u);
  EXPECT_EQ(s[C::io_ticks_ms], 5484u);
  EXPECT_EQ(s[C::in_queue_ms], 10243u);
  EXPECT_EQ(s[C::discard_sectors], 130792u);
  EXPECT_EQ(s[C::flush_ticks_ms], 81u);
}

TEST(BlockStat, ReadsElevenOrFifteenColumnsOfOldKernels) {
  EXPECT_EQ(parse_block_stat("1 2 3 4 5 6 7 8 9 10 11")[C::in_queue_ms], 11u);
  EXPECT_EQ(parse_block_stat("1 2 3 4 5 6 7 8 9 10 11")[C::discard_ios], 0u);
  EXPECT_EQ(parse_block_stat("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15")[C::discard_ticks_ms], 15u);
}

TEST(BlockStat, OtherTextReadsAsZero) {
  EXPECT_EQ(parse_block_stat("")[C::read_ios], 0u);
  EXPECT_EQ(parse_block_stat("1 2 3")[C::read_ios], 0u);
}

TEST(Grown, CrossesA32BitWrap) {
  EXPECT_EQ(grown(0xfffffff0u, 0x10u), 0x20u);
  EXPECT_EQ(grown(5, 5), 0u);
  EXPECT_EQ(grown(1ull << 40, (1ull << 40) + 3), 3u);
}

TEST(Grown, ACounterThatWasResetGivesZero) {
  EXPECT_EQ(grown(1000, 5), 0u);
  EXPECT_EQ(grown(1ull << 40, 7), 0u);
}

TEST(Grown, AnyGrowthUnderHalfTheRangeSurvivesTheWrap) {
  EXPECT_TRUE(rc::check([](std::uint32_t first, std::uint32_t growth) {
    growth &= 0x7fffffffu;
    const std::uint32_t last = first + growth;  // as the kernel prints it
    RC_ASSERT(grown(first, last) == growth);
  }));
}

TEST(BlockStatDifference, IsTakenColumnByColumn) {
  const auto first = parse_block_stat("10 20 30 40 50 60 70 80 3 90 100");
  const auto last = parse_block_stat("11 22 33 44 55 66 77 88 0 140 110");
  const auto d = difference("sda", first, last, 200.0);
  EXPECT_EQ(d.name, "sda");
  EXPECT_EQ(d.read_ios, 1u);
  EXPECT_EQ(d.read_merges, 2u);
  EXPECT_EQ(d.read_sectors, 3u);
  EXPECT_EQ(d.read_ticks_ms, 4u);
  EXPECT_EQ(d.write_ios, 5u);
  EXPECT_EQ(d.write_merges, 6u);
  EXPECT_EQ(d.write_sectors, 7u);
  EXPECT_EQ(d.write_ticks_ms, 8u);
  EXPECT_EQ(d.in_queue_ms, 10u);
  EXPECT_DOUBLE_EQ(d.util_percent, 25.0);
}

TEST(BlockStatDifference, UtilisationIsCappedAt100PercentAndSurvivesZeroTime) {
  const auto last = parse_block_stat("0 0 0 0 0 0 0 0 0 1000 0");
  EXPECT_DOUBLE_EQ(difference("d", {}, last, 999.0).util_percent, 100.0);
  EXPECT_DOUBLE_EQ(difference("d", {}, last, 0.0).util_percent, 0.0);
}

}  // namespace
}  // namespace fathom::host::disk
