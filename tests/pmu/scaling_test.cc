// The arithmetic of counters: wraps of every width, shares, sums, intervals, rates.
#include "pmu/scaling.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace fathom::pmu {
namespace {

events::EventCount scaled_count(std::uint64_t value, std::uint64_t enabled_ns, std::uint64_t running_ns) {
  return scale({value, enabled_ns, running_ns});
}

TEST(Grown, HandlesAWrapAtEveryWidth) {
  EXPECT_EQ(grown(0xe, 0x3, 4), 5u);
  EXPECT_EQ(grown(0xfe, 0x01, 8), 3u);
  EXPECT_EQ(grown(0xffff'fffe, 0x10, 32), 18u);
  EXPECT_EQ(grown((1ull << 44) - 1, 0, 44), 1u);
  EXPECT_EQ(grown((1ull << 48) - 5, 5, 48), 10u);
  EXPECT_EQ(grown(~0ull - 1, 3, 64), 5u) << "2^64 exactly";
  EXPECT_EQ(grown((1ull << 32) - 1, (1ull << 32) + 1, 64), 2u) << "2^32 is no edge of a 64-bit counter";
  EXPECT_EQ(grown(7, 7, 8), 0u);
}

// Any number of readings of a narrow register: their growths add up to what it counted.
TEST(Grown, AddsUpOverManyWraps) {
  base::Prng random(3);
  for (const unsigned width : {4u, 8u, 32u, 44u, 48u, 64u}) {
    const std::uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
    std::uint64_t truth = random.next(), last = truth & mask, sum = 0, begin = truth;
    for (int i = 0; i < 1000; ++i) {
      truth += random.next() & (mask >> 1);
      sum += grown(last, truth & mask, width);
      last = truth & mask;
    }
    EXPECT_EQ(sum, truth - begin) << width;
  }
}

// Alibaba's driver adds the difference of two 32-bit readings to a 64-bit count without cutting it: a wrap takes 2^32
// away. In 32 bits the count is right all the same.
TEST(Grown, CorrectsADriverThatIgnoresA32BitWrap) {
  const std::uint64_t register_before = 0xffff'fff0, register_after = 0x10;
  const std::uint64_t count_before = register_before, count_after = count_before + (register_after - register_before);
  EXPECT_EQ(grown(count_before, count_after, 32), 0x20u);
}

TEST(LongestGap, IsTheTimeToHalfTheCounterRange) {
  EXPECT_DOUBLE_EQ(longest_gap_s(32, 1e9), 2.147483648);
  EXPECT_TRUE(longest_gap_s(32, 0) > 1e300);
}

TEST(ScaledCount, IsExactAtFullRunningTime) {
  const auto count = scaled_count(536'910'432, 1'000'000, 1'000'000);
  EXPECT_EQ(count.state, events::CountState::counted);
  EXPECT_EQ(count.raw, 536'910'432u);
  EXPECT_EQ(count.scaled, 536'910'432.0);
  EXPECT_EQ(count.running_share, 1);
}

TEST(ScaledCount, IsExtrapolatedByTheRunningShare) {
  const auto count = scaled_count(100, 1000, 496);
  EXPECT_DOUBLE_EQ(count.scaled, 100 * 1000.0 / 496);
  EXPECT_DOUBLE_EQ(count.running_share, 0.496);
}

TEST(ScaledCount, AnEventThatNeverRanIsNotCountedAndNotZero) {
  EXPECT_EQ(scaled_count(0, 1000, 0).state, events::CountState::not_counted);
  EXPECT_EQ(scaled_count(0, 1000, 1000).state, events::CountState::counted);
}

TEST(SumOfCounts, AddsCpusAndKeepsTheLongestWindow) {
  const events::EventCount parts[] = {scaled_count(10, 1000, 1000), scaled_count(30, 900, 450)};
  const auto total = sum(parts);
  EXPECT_EQ(total.raw, 40u);
  EXPECT_DOUBLE_EQ(total.scaled, 10 + 60);
  EXPECT_EQ(total.window_ns, 1000u);
  EXPECT_EQ(total.enabled_ns, 1900u);
}

TEST(SumOfCounts, ExtrapolatesPartsThatNeverRan) {
  const events::EventCount parts[] = {scaled_count(10, 1000, 1000), scaled_count(0, 1000, 0)};
  EXPECT_DOUBLE_EQ(sum(parts).scaled, 20);
}

TEST(SumOfCounts, HasTheWorstStateOfItsParts) {
  events::EventCount lost = scaled_count(5, 10, 10), absent;
  lost.state = events::CountState::lost;
  absent.state = events::CountState::not_supported;
  const events::EventCount with_lost[] = {scaled_count(1, 10, 10), lost};
  EXPECT_EQ(sum(with_lost).state, events::CountState::lost);
  EXPECT_EQ(sum(with_lost).raw, 6u) << "what was counted until then is kept";
  const events::EventCount lanes[] = {scaled_count(1, 10, 10), absent};
  EXPECT_EQ(sum(lanes).state, events::CountState::counted) << "a lane that the port lacks";
  const events::EventCount none[] = {absent};
  EXPECT_EQ(sum(none).state, events::CountState::not_supported);
  EXPECT_EQ(sum({}).state, events::CountState::not_counted);
}

TEST(CountSince, IsTheDifferenceOfTwoReadings) {
  const auto interval = since(scaled_count(100, 1000, 1000), scaled_count(160, 3000, 2000));
  EXPECT_EQ(interval.raw, 60u);
  EXPECT_DOUBLE_EQ(interval.scaled, 120);
  EXPECT_EQ(interval.window_ns, 2000u);
  EXPECT_EQ(since(scaled_count(100, 1000, 1000), scaled_count(100, 2000, 1000)).state, events::CountState::not_counted);
}

TEST(MbPerS, DividesBytesByTheWindow) {
  EXPECT_DOUBLE_EQ(mb_per_s(542e6, 1'000'000'000), 542);
  EXPECT_EQ(mb_per_s(1, 0), 0);
}

}  // namespace
}  // namespace fathom::pmu
