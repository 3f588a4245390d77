// Which loads a sweep names that found no answer in those that it had.
#include "sweep/next.h"

#include <gtest/gtest.h>

namespace fathom::sweep {
namespace {

using result::SweptBracket;
using result::SweptEnd;

result::Sweep sweep_of(const char* load, bool open_loop, std::vector<double> loads) {
  result::Sweep sweep;
  sweep.load = load, sweep.open_loop = open_loop;
  sweep.curves.emplace_back();
  for (const double value : loads) {
    auto& point = sweep.curves[0].points.emplace_back();
    point.load = value, point.runs = 3;
  }
  return sweep;
}

SweptBracket bracket(double meets, double misses) {
  SweptBracket found;
  found.ended = true;
  if (meets > 0) found.meets = SweptEnd{.load = meets, .shown = true};
  if (misses > 0) found.misses = SweptEnd{.load = misses, .shown = true};
  return found;
}

TEST(NextLoads, AreNoneWhereTheAnswerIsThere) {
  auto sweep = sweep_of("iodepth", false, {1, 2, 4});
  sweep.curves[0].bracket = bracket(2, 4);
  EXPECT_FALSE(next_of(sweep));
  sweep.curves[0].knee = result::SweptKnee{.seen = "at the highest load", .load = 4};
  EXPECT_FALSE(next_of(sweep)) << "a limit was asked for, and found";
  EXPECT_FALSE(next_of(sweep_of("", false, {})));
}

TEST(NextLoads, LieAboveALimitThatAllMeet) {
  auto sweep = sweep_of("iodepth", false, {1, 2, 4});
  sweep.curves[0].bracket = bracket(4, 0);
  EXPECT_EQ(next_of(sweep)->over, "iodepth=4..32");
  sweep = sweep_of("rate_iops", true, {1000, 8000});
  sweep.curves[0].bracket = bracket(8000, 0);
  EXPECT_EQ(next_of(sweep)->over, "rate_iops=8000..16000+1000");
}

TEST(NextLoads, LieBelowALimitThatAllMiss) {
  auto sweep = sweep_of("iodepth", false, {8, 16});
  sweep.curves[0].bracket = bracket(0, 8);
  EXPECT_EQ(next_of(sweep)->over, "iodepth=1..8");
  sweep.curves[0].bracket = bracket(0, 1);
  EXPECT_EQ(next_of(sweep)->over, "rate_iops") << "less than one I/O in flight is a rate";
  sweep = sweep_of("rate_iops", true, {1600});
  sweep.curves[0].bracket = bracket(0, 1600);
  EXPECT_EQ(next_of(sweep)->over, "rate_iops=100..1600+188");
}

TEST(NextLoads, AreTheSameForLongerWhereRunsScatter) {
  auto sweep = sweep_of("rate_iops", true, {1000, 2000, 9000});
  sweep.curves[0].points[2].runs = 0;
  sweep.curves[0].bracket = bracket(0, 0);
  const auto next = next_of(sweep);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->over, "rate_iops=1000..2000+125");
  EXPECT_TRUE(next->longer);
}

TEST(NextLoads, FollowAKneeAtTheEdge) {
  auto sweep = sweep_of("iodepth", false, {1, 2, 4});
  sweep.curves[0].knee = result::SweptKnee{.seen = "at the highest load", .load = 4};
  EXPECT_EQ(next_of(sweep)->over, "iodepth=4..32");
  sweep.curves[0].knee->seen = "yes";
  EXPECT_FALSE(next_of(sweep));
  sweep.curves[0].knee->seen = "no points";
  EXPECT_FALSE(next_of(sweep));
}

TEST(NextLoads, AreJobsWhereADepthHasNoEffect) {
  auto sweep = sweep_of("iodepth", false, {1, 2, 4});
  sweep.curves[0].knee = result::SweptKnee{.seen = "no effect"};
  EXPECT_EQ(next_of(sweep)->over, "numjobs");
  sweep.curves[0].knee->seen = "flat";
  EXPECT_EQ(next_of(sweep)->over, "numjobs");
  sweep.over.push_back({"numjobs", {"1", "2"}});
  EXPECT_FALSE(next_of(sweep)) << "they were varied";
}

void set_rates(result::Sweep& sweep, std::vector<double> iops) {
  for (std::size_t i = 0; i < iops.size(); ++i)
    sweep.curves[0].points[i].numbers = {{.name = "iops", .unit = "IOPS", .typical = iops[i]}};
}

// rate_iops or thinktime limits the job, whatever its depth.
TEST(NextLoads, AreJobsWhereALimitIsMetAndMoreDepthMakesNoMoreRate) {
  auto sweep = sweep_of("iodepth", false, {1, 2, 4});
  sweep.curves[0].bracket = bracket(4, 0);
  set_rates(sweep, {910, 911, 913});
  EXPECT_EQ(next_of(sweep)->over, "numjobs");
  set_rates(sweep, {910, 1700, 3000});
  EXPECT_EQ(next_of(sweep)->over, "iodepth=4..32");
}

TEST(NextLoads, BelowOneIoInFlightAreRatesInNumbers) {
  auto sweep = sweep_of("iodepth", false, {1, 2, 4});
  sweep.curves[0].bracket = bracket(0, 1);
  set_rates(sweep, {501.4, 501, 501});
  EXPECT_EQ(next_of(sweep)->over, "rate_iops=31..502+59") << "a job with a rate takes no percentages";
}

TEST(NextLoads, HoldThoseOfAllCurves) {
  auto sweep = sweep_of("iodepth", false, {1, 2, 4});
  sweep.curves.push_back(sweep.curves[0]);
  sweep.curves[0].bracket = bracket(4, 0);
  sweep.curves[1].bracket = bracket(0, 2);
  EXPECT_EQ(next_of(sweep)->over, "iodepth=1..32");
  sweep.interrupted = true;
  EXPECT_FALSE(next_of(sweep)) << "the same command goes on";
}

}  // namespace
}  // namespace fathom::sweep
