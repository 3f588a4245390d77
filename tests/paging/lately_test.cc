// Rates and percentiles of the last second, and of nothing before it.
#include "paging/lately.h"

#include <gtest/gtest.h>

#include "base/system/shared_memory.h"

namespace fathom::paging {
namespace {

constexpr std::uint64_t kQuarter_ns = 250'000'000;

TEST(Lately, IsOfTheLastSecond) {
  base::system::SharedArray<sources::ThreadRecord> threads(1);
  ThreadTotals totals;
  Lately lately;
  std::uint64_t now_ns = 1'000'000'000'000;
  lately.begin(now_ns, totals);
  const auto pass = [&](std::uint64_t accesses, std::uint64_t ns) {
    for (std::uint64_t i = 0; i < accesses; ++i) threads[0].histograms[0][0].raw.add(ns);
    totals.accesses += accesses;
    totals.major += 1;
    now_ns += kQuarter_ns;
    return lately.look(now_ns, totals, {&threads[0], 1});
  };
  // Since the beginning, while that is no second ago.
  OfLate late = pass(50, 100);
  EXPECT_EQ(late.n, 50u);
  EXPECT_EQ(late.ns_p50, 100u);
  EXPECT_EQ(late.ns_p99, 0u) << "of 50 there is none";
  EXPECT_DOUBLE_EQ(late.accesses_per_s, 200);
  for (int i = 0; i < 3; ++i) late = pass(2000, 100);
  EXPECT_EQ(late.n, 6050u);
  EXPECT_DOUBLE_EQ(late.major_per_s, 4);
  EXPECT_EQ(late.ns_p99, 100u);
  EXPECT_EQ(late.ns_p999, 100u);
  // A second later nothing of it is left.
  for (int i = 0; i < 4; ++i) late = pass(500, 64'000);
  EXPECT_EQ(late.n, 2000u);
  EXPECT_NEAR(static_cast<double>(late.ns_p50), 64'000, 500);
  EXPECT_DOUBLE_EQ(late.accesses_per_s, 2000);
  for (int i = 0; i < 4; ++i) late = pass(0, 1);
  EXPECT_EQ(late.n, 0u);
  EXPECT_EQ(late.ns_p50, 0u);
  EXPECT_DOUBLE_EQ(late.accesses_per_s, 0);
}

TEST(Lately, AStallIsInTheRate) {
  base::system::SharedArray<sources::ThreadRecord> threads(1);
  ThreadTotals totals;
  Lately lately;
  lately.begin(0, totals);
  totals.accesses = 1000;
  EXPECT_DOUBLE_EQ(lately.look(4'000'000'000, totals, {&threads[0], 1}).accesses_per_s, 250);
}

}  // namespace
}  // namespace fathom::paging
