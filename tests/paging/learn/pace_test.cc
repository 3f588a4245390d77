// The next interval from what a trial showed.
#include "paging/learn/pace.h"

#include <gtest/gtest.h>

namespace fathom::paging::learn {
namespace {

observe::Window showing(std::uint16_t in_intervals, double look_s = 0) {
  observe::Window window;
  window.touched = {4, 0.02, std::vector<std::uint16_t>(1000, in_intervals)};
  window.look_s = look_s;
  return window;
}

TEST(LearnPace, SaturatedPagesShortenTheInterval) { EXPECT_LT(better_interval(showing(4), 0.02, {}), 0.005); }
TEST(LearnPace, RarelyTouchedPagesLengthenTheInterval) { EXPECT_GT(better_interval(showing(1), 0.02, {}), 0.04); }
TEST(LearnPace, AModerateTouchRateKeepsTheInterval) { EXPECT_DOUBLE_EQ(better_interval(showing(2), 0.02, {}), 0.02); }
TEST(LearnPace, NoTouchedPageLengthensTheInterval) { EXPECT_GT(better_interval(showing(0), 0.02, {}), 0.04); }

TEST(LearnPace, TheIntervalIsNotShorterThanAScanTakes) {
  EXPECT_GE(better_interval(showing(4, 4 * 0.01), 0.02, {1e-3, 0.5}), 0.02);
  EXPECT_LE(better_interval(showing(4, 4 * 10.0), 0.02, {1e-3, 0.1}), 0.31) << "but one slow look does not rule";
}

TEST(LearnPace, TheIntervalStaysWithinItsBounds) {
  EXPECT_DOUBLE_EQ(better_interval(showing(1), 0.02, {1e-3, 0.03}), 0.03);
  EXPECT_DOUBLE_EQ(better_interval(showing(4), 0.002, {1e-3, 1}), 1e-3);
}

TEST(LearnPace, AGrowthCurveThatBeginsNearSaturationShortensTheInterval) {
  observe::Window high, low;
  high.growth = {{0.001, 10}, {0.02, 900}, {0.04, 950}, {0.08, 1000}};
  low.growth = {{0.001, 10}, {0.02, 200}, {0.04, 350}, {0.08, 1000}};
  EXPECT_LT(better_interval(high, 0.02, {}), 0.01);
  EXPECT_DOUBLE_EQ(better_interval(low, 0.02, {}), 0.02);
}

TEST(LearnPace, AShortObservationHasFewerIntervalsAWindow) {
  EXPECT_EQ(intervals_a_window(1, 0.02, 4), 4u);
  EXPECT_EQ(intervals_a_window(1, 0.02, 16), 16u);
  EXPECT_EQ(intervals_a_window(60, 0.02, 4), 32u);
}

}  // namespace
}  // namespace fathom::paging::learn
