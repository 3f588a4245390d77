// The cost of watching from counts at the moments of slices: a known cost, one that the machine's weather would hide in
// two runs, medians of a paced job, and which slices do not count.
#include "split/sums/watching_cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/prng.h"

namespace fathom::split::sums {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

// A job's loop and the driver of its slices, on a clock of their own.
class Watched : public ::testing::Test {
 protected:
  Watched() { record_->others.moments.n = 1; }  // the job has begun
  void unwatched(std::uint64_t ms, std::uint64_t ios, std::uint64_t each_ns = 1000) {
    cost_.at(SliceMoment::unwatched_from, now_);
    record_->others.moments.n += ios;
    record_->others.counts.add_many(each_ns, ios);
    now_ += ms * kMs;
    cost_.at(SliceMoment::unwatched_to, now_);
  }
  void slice(std::uint64_t ios, std::uint64_t each_ns = 1000, bool cut_short = false) {
    now_ += 7 * kMs;  // attaching, in which a few go by
    record_->others.moments.n += 3;
    cost_.at(SliceMoment::watched_from, now_);
    record_->ios += ios;
    record_->whole.moments.n += ios;
    record_->whole.counts.add_many(each_ns, ios);
    now_ += 50 * kMs;
    if (!cut_short) cost_.at(SliceMoment::watched_to, now_);
    now_ += 4 * kMs;
    cost_.at(SliceMoment::over, now_);
  }

  std::unique_ptr<DirectionSplit> record_ = std::make_unique<DirectionSplit>();
  WatchingCost cost_{{record_.get()}};
  std::uint64_t now_ = 1'000'000'000;
};

TEST_F(Watched, IsTheRateInsideAgainstTheOneBefore) {
  for (int i = 0; i < 11; ++i) unwatched(400, 40'000), slice(4500);
  const auto sum = cost_.sum();
  EXPECT_EQ(sum.slices, 10u) << "the job may have ended in the last";
  EXPECT_NEAR(sum.rate.share, 0.1, 1e-9);
  EXPECT_NEAR(sum.rate.half_width, 0, 1e-9);
}

// The machine's weather halves and doubles the rate from slice to slice; each is held against its own.
TEST_F(Watched, IsNotTheMachinesWeather) {
  base::Prng prng(3);
  for (int i = 0; i < 40; ++i) {
    const double rate = 100 * std::exp2(2 * prng.unit() - 1);  // I/Os a ms
    const auto pause = 60 + prng.below(800);
    unwatched(pause, static_cast<std::uint64_t>(rate * static_cast<double>(pause)));
    slice(static_cast<std::uint64_t>(rate * 50 * 0.97));
  }
  const auto sum = cost_.sum();
  EXPECT_NEAR(sum.rate.share, 0.03, 0.001);
  EXPECT_LT(sum.rate.half_width, 0.002);
}

TEST_F(Watched, OfAPacedJobIsItsMedian) {
  for (int i = 0; i < 11; ++i) unwatched(400, 400, 10'000), slice(50, 10'500);
  const auto sum = cost_.sum();
  EXPECT_NEAR(sum.rate.share, 0, 1e-9);
  EXPECT_NEAR(sum.p50.share, 0.05, 0.015);
  EXPECT_NEAR(sum.p50.half_width, 0, 1e-9);
}

TEST_F(Watched, StallsAreInTheRateWhereverTheyFall) {
  for (int i = 0; i < 30; ++i) unwatched(400, i % 3 == 0 ? 0 : 60'000), slice(i % 5 == 0 ? 0 : 6250);
  const auto sum = cost_.sum();
  EXPECT_NEAR(sum.rate.share, 0, 0.06);
  EXPECT_GT(sum.rate.half_width, 0.1) << "and that hardly anything can be told is, too";
}

TEST_F(Watched, FewerThanThreeSlicesHaveNoInterval) {
  for (int i = 0; i < 3; ++i) unwatched(400, 40'000), slice(4500);
  EXPECT_EQ(cost_.sum().slices, 2u);
  EXPECT_LT(cost_.sum().rate.half_width, 0);
}

TEST_F(Watched, OnlyWholeSlicesBesideEnoughUnwatchedTimeCount) {
  for (int i = 0; i < 6; ++i) unwatched(400, 40'000), slice(4500);
  unwatched(10, 1);
  slice(4500);  // after too little
  unwatched(400, 40'000);
  slice(1, 1000, true);  // cut short
  EXPECT_EQ(cost_.sum().slices, 5u);
  EXPECT_NEAR(cost_.sum().rate.share, 0.1, 1e-9);
}

TEST_F(Watched, AfterTheJobsEndNothingCounts) {
  for (int i = 0; i < 6; ++i) unwatched(400, 40'000), slice(4500);
  unwatched(400, 10'000);
  slice(0);
  unwatched(400, 0);
  slice(0);
  EXPECT_EQ(cost_.sum().slices, 5u);
  EXPECT_NEAR(cost_.sum().rate.share, 0.1, 1e-9);
}

TEST_F(Watched, BeforeTheFirstIoThatCountsNothingDoes) {
  record_->others.moments.n = 0;
  unwatched(400, 20'000);
  slice(4500);
  for (int i = 0; i < 6; ++i) unwatched(400, 40'000), slice(4500);
  EXPECT_EQ(cost_.sum().slices, 5u);
  EXPECT_NEAR(cost_.sum().rate.share, 0.1, 1e-9);
}

TEST_F(Watched, ATimeWithoutSlicesIsNotMeasured) {
  unwatched(400, 40'000);
  EXPECT_EQ(cost_.sum().slices, 0u);
  EXPECT_EQ(cost_.sum().by, result::CostBy::nothing);
}

}  // namespace
}  // namespace fathom::split::sums
