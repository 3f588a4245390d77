// Which end belongs to which begin, and what is not counted; without a kernel.
#include "pmu/trace/device_time_pairs.h"

#include <gtest/gtest.h>

namespace fathom::pmu {
namespace {

using enum trace::BlockPoint;
constexpr std::uint32_t kDisk = 254u << 20;

trace::BlockEvent event(std::uint64_t time, trace::BlockPoint point, std::uint64_t sector, std::uint8_t dir = 0,
                        std::uint32_t sectors = 8, std::uint32_t dev = kDisk) {
  return {time, sector, sectors, dev, 0, point, dir};
}

TEST(RequestPairs, ACompletionIsPairedWithItsIssue) {
  trace::RequestPairs pairs;
  EXPECT_FALSE(pairs.add(event(1000, trace::BlockPoint::rq_issue, 80)));
  EXPECT_FALSE(pairs.add(event(1500, trace::BlockPoint::rq_issue, 88)));
  const auto second = pairs.add(event(2500, trace::BlockPoint::rq_complete, 88));
  const auto first = pairs.add(event(4000, rq_complete, 80));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->ns, 3000u);
  EXPECT_EQ(second->ns, 1000u);
  EXPECT_EQ(first->bytes, 4096u);
  EXPECT_EQ(pairs.open(), 0u);
  EXPECT_EQ(pairs.lost(), 0u);
}

TEST(RequestPairs, PairsMatchByDirectionAndDevice) {
  trace::RequestPairs pairs;
  pairs.add(event(1000, trace::BlockPoint::bio_queue, 80, 0));
  EXPECT_FALSE(pairs.add(event(1100, trace::BlockPoint::bio_complete, 80, 1)));
  EXPECT_FALSE(pairs.add(event(1100, trace::BlockPoint::bio_complete, 80, 0, 8, kDisk + 1)));
  EXPECT_EQ(pairs.add(event(1200, trace::BlockPoint::bio_complete, 80, 0))->ns, 200u);
}

TEST(RequestPairs, FlushesAndTrimsAreNotCounted) {
  trace::RequestPairs pairs;
  pairs.add(event(1000, trace::BlockPoint::rq_issue, 80, trace::kNoDir));
  pairs.add(event(1000, rq_issue, 80, 2));
  EXPECT_EQ(pairs.open(), 0u);
}

// A bio is worn down while it is worked on: at its end it may have no sectors left.
TEST(RequestPairs, LengthIsThatOfTheIssue) {
  trace::RequestPairs pairs;
  pairs.add(event(1000, trace::BlockPoint::bio_queue, 80, 1, 16));
  EXPECT_EQ(pairs.add(event(3000, trace::BlockPoint::bio_complete, 80, 1, 0))->bytes, 8192u);
}

TEST(RequestPairs, ASecondIssueOfOnePlaceCountsOneLost) {
  trace::RequestPairs pairs;
  pairs.add(event(1000, trace::BlockPoint::rq_issue, 80));
  pairs.add(event(5000, rq_issue, 80));
  EXPECT_EQ(pairs.lost(), 1u);
  EXPECT_EQ(pairs.add(event(6000, trace::BlockPoint::rq_complete, 80))->ns, 1000u) << "of the later begin";
}

TEST(RequestPairs, OpenRequestsStayWithinTheCapacity) {
  trace::RequestPairs pairs(100);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    pairs.add(event(i, trace::BlockPoint::rq_issue, 8 * i));
    ASSERT_LE(pairs.open(), 100u);
  }
  EXPECT_EQ(pairs.lost() + pairs.open(), 1000u);
}

TEST(RequestPairs, GiveUpDropsRequestsByTheirStart) {
  trace::RequestPairs pairs;
  for (std::uint64_t i = 0; i < 10; ++i) pairs.add(event(100 * i, trace::BlockPoint::rq_issue, 8 * i));
  EXPECT_EQ(pairs.give_up([](std::uint64_t start) { return start >= 700; }), 3u);
  EXPECT_EQ(pairs.open(), 0u);
}

TEST(FileStretches, HoldRangesWithinJoinedNeighbours) {
  const trace::Stretches own({{kDisk, 100, 8, false}, {kDisk, 200, 16, false}, {kDisk, 108, 8, false}});
  EXPECT_TRUE(own.holds(100, 16)) << "two neighbours are one";
  EXPECT_TRUE(own.holds(208, 8));
  EXPECT_FALSE(own.holds(208, 9));
  EXPECT_FALSE(own.holds(92, 8));
  EXPECT_FALSE(own.holds(116, 1));
  EXPECT_FALSE(own.holds(216, 1));
  EXPECT_TRUE(trace::Stretches().holds(5, 5)) << "a whole disk";
}

}  // namespace
}  // namespace fathom::pmu
