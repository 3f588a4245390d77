// Who watches a measurement of paging, as rows of what that costs: of what is not there the reason.
#include "witness/cost/paging_cost_run.h"

#include <gmock/gmock.h>

#include "base/attempts.h"
#include "base/system/shared_memory.h"
#include "base/time.h"

namespace fathom::witness::cost {
namespace {

using paging::memory::Medium;
using ::testing::HasSubstr;

TEST(PagingCostRun, WithoutASwapNobodyLooks) {
  PagingCostRun cost({});
  EXPECT_FALSE(cost.any());
  cost.end();
  const auto rows = cost.costs();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].job, "");
  EXPECT_THAT(rows[0].cost.cause, HasSubstr("no swap"));
}

TEST(PagingCostRun, OfAFileWithoutADiskSaysWhy) {
  PagingCostRun cost({Medium{"", "/net/f", 0, "no disk is known under /net/f"}});
  EXPECT_FALSE(cost.any());
  const auto rows = cost.costs();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].watcher, "device time of /net/f");
  EXPECT_EQ(rows[0].cost.cause, "no disk is known under /net/f");
}

// The device cannot be timed, for it is not there; the looks are metered all the same, and cost nothing of note.
TEST_IN_ATTEMPTS(PagingCostRun, WhatCannotBeTimedDoesNotKeepTheOthersFromIt) {
  base::system::SharedArray<paging::sources::ThreadRecord> records(1);
  auto& accesses = records[0].head.live.accesses;
  PagingCostRun cost({Medium{"nosuchdisk", "/dev/nosuchdisk", 0, ""}});
  EXPECT_TRUE(cost.any());
  cost.begin({{&records[0], 1}, {}});
  for (const std::uint64_t until = base::monotonic_ns() + 1'500'000'000; base::monotonic_ns() < until;) {
    base::sleep_ns(50'000);
    ++accesses;
  }
  cost.end();
  const auto rows = cost.costs();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].watcher, "device time of nosuchdisk");
  EXPECT_EQ(rows[0].job, "");
  EXPECT_THAT(rows[0].cost.cause, HasSubstr("nosuchdisk"));
  EXPECT_EQ(rows[1].watcher, "audit");
  EXPECT_EQ(rows[1].job, "accesses");
  EXPECT_EQ(rows[1].cost.by, result::CostBy::rate);
  EXPECT_EQ(rows[1].cost.from, result::CostFrom::cost_run);
  EXPECT_GE(rows[1].cost.slices, 3u);
  EXPECT_NEAR(rows[1].cost.rate.share, 0, 0.1);
}

}  // namespace
}  // namespace fathom::witness::cost
