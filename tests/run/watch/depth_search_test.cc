// The search for the depth, window by window: known answers.
#include "run/watch/depth_search.h"

#include <gtest/gtest.h>

#include <vector>

namespace fathom::run::watch {
namespace {

using Next = DepthSearch::Next;

// A device that keeps the target up to this depth.
std::vector<std::uint32_t> depths_on(std::uint32_t holds, std::uint32_t deepest, int windows, Next* last = nullptr,
                                     bool whole_run = true) {
  DepthSearch search(deepest, 99, whole_run);
  std::vector<std::uint32_t> depths;
  for (int i = 0; i < windows; ++i) {
    depths.push_back(search.depth());
    const auto next = search.window_over(100, search.depth() <= holds ? 1 : 2);
    if (last != nullptr) *last = next;
    if (next == Next::over) break;
  }
  return depths;
}

// effect: latency_target latency_percentile
TEST(DepthSearch, DoublesUntilItMissesThenTakesTheMiddle) {
  // latency_percentile=100: one late I/O in a window is a miss.
  EXPECT_EQ(depths_on(5, 32, 7), (std::vector<std::uint32_t>{1, 2, 4, 8, 6, 5, 5}));
  EXPECT_EQ(depths_on(32, 32, 7), (std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32, 32}));
  EXPECT_EQ(depths_on(100, 48, 7), (std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32, 48})) << "never above iodepth";
}

// 1, 2, 4, 8 missed (high 8), 6 missed (high 6), 5 kept three times: the limit goes up by one, 6 is tried and missed.
TEST(DepthSearch, ThreeGoodWindowsRaiseTheLimit) {
  EXPECT_EQ(depths_on(5, 32, 10), (std::vector<std::uint32_t>{1, 2, 4, 8, 6, 5, 5, 5, 6, 5}));
}

// effect: latency_run
TEST(DepthSearch, EndsAWindowAfterTheDepthStoppedChanging) {
  Next last = Next::go_on;
  EXPECT_EQ(depths_on(100, 4, 100, &last, false), (std::vector<std::uint32_t>{1, 2, 4, 4}));
  EXPECT_EQ(last, Next::over);
  EXPECT_EQ(depths_on(100, 4, 50, &last, true).size(), 50u) << "latency_run=1 goes on";
}

TEST(DepthSearch, SettlesOnceBeforeItIsOver) {
  DepthSearch search(1, 100, false);
  EXPECT_EQ(search.window_over(10, 0), Next::settle);
  EXPECT_EQ(search.window_over(10, 0), Next::over);
}

TEST(DepthSearch, LatencyPercentileSetsTheShareThatMustMeetTheTarget) {
  DepthSearch strict(8, 100, true), loose(8, 50, true);
  strict.window_over(10, 0), loose.window_over(10, 5);
  EXPECT_EQ(loose.depth(), 2u) << "half kept it";
  EXPECT_EQ(strict.window_over(10, 1), Next::drain);
  EXPECT_EQ(strict.depth(), 1u);
  EXPECT_EQ(loose.window_over(10, 6), Next::drain);
}

// 8, 6 and 5 miss, and then 4, which was kept before: what was known is given up, step by step.
TEST(DepthSearch, ADeviceThatBecomesSlowerLowersTheDepth) {
  DepthSearch search(32, 99, true);
  for (int i = 0; i < 3; ++i) search.window_over(100, 0);
  std::vector<std::uint32_t> depths;
  for (int i = 0; i < 6; ++i) {
    depths.push_back(search.depth());
    search.window_over(100, 50);
  }
  EXPECT_EQ(depths, (std::vector<std::uint32_t>{8, 6, 5, 4, 3, 2}));
  EXPECT_EQ(search.depth(), 1u);
}

TEST(DepthSearch, AMissAtDepthOneFailsOnlyAStrictTarget) {
  DepthSearch strict(8, 100, true), loose(8, 99, true);
  EXPECT_EQ(strict.missed(), Next::failed);
  EXPECT_EQ(loose.window_over(10, 10), Next::go_on) << "is only counted";
  EXPECT_EQ(loose.depth(), 1u);
  EXPECT_EQ(loose.window_over(0, 0), Next::go_on) << "nothing was done";
}

}  // namespace
}  // namespace fathom::run::watch
