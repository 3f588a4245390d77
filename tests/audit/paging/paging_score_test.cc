// The score's interval holds the truth as often as it promises, also where neighbouring intervals follow each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "audit/paged_run.h"
#include "base/prng.h"

namespace fathom::audit::paging {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

double normal(base::Prng& prng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += prng.unit();
  return sum;
}

// A minute of points of 100 ms around 1,000,000 accesses a second; `memory`: how much of its deviation each keeps.
result::Paging simulated(std::uint64_t seed, double memory, int points = 600) {
  base::Prng prng(seed);
  result::Paging paging;
  double state = normal(prng) / std::sqrt(1 - memory * memory), total = 0;
  for (int i = 0; i < points; ++i) {
    state = memory * state + normal(prng);
    result::PagingSeriesPoint point;
    point.interval_ms = 100;
    point.time_ms = static_cast<std::uint64_t>(i + 1) * 100;
    point.accesses = static_cast<std::uint64_t>(100'000 + 3'000 * state);
    total += static_cast<double>(point.accesses);
    paging.series.push_back(point);
  }
  result::PagingThread worker;
  worker.accesses[0] = static_cast<std::uint64_t>(total);
  paging.workers = {worker};
  paging.window_ns = static_cast<std::uint64_t>(points) * 100'000'000;
  return paging;
}

int covered(double memory, int runs) {
  int held = 0;
  for (int i = 0; i < runs; ++i) {
    const auto score = paging_score(simulated(static_cast<std::uint64_t>(i) + 1, memory));
    held += score.low <= 1e6 && score.high >= 1e6;
  }
  return held;
}

// 95 % of 400 are 380, with a deviation of 4.4.
TEST(PagingScore, TimedIntervalHoldsTheTruthForIndependentPoints) { EXPECT_GE(covered(0, 400), 363); }

// Points that keep 0.9 of their deviation would be covered in half of the runs if they were taken as they are; batches
// bring it to nine in ten.
TEST(PagingScore, TimedIntervalHoldsTheTruthForCorrelatedPoints) { EXPECT_GE(covered(0.9, 400), 352); }

TEST(PagingScore, NamesTheMethodOfItsInterval) {
  EXPECT_EQ(paging_score(simulated(1, 0)).how, "600 intervals of 0.1 s");
  EXPECT_THAT(paging_score(simulated(1, 0.9)).how, Not(HasSubstr("of 0.1 s"))) << "waves are averaged in batches";
  EXPECT_EQ(paging_score(simulated(1, 0)).confidence, 0.95);
  const auto few = paging_score(simulated(1, 0, 5));
  EXPECT_EQ(few.confidence, 0);
  EXPECT_EQ(few.low, few.high);
  EXPECT_GT(few.accesses_per_s, 0);
  EXPECT_THAT(few.how, HasSubstr("5 intervals: too few"));
  auto rising = simulated(1, 0, 100);
  for (std::size_t i = 0; i < 100; ++i) rising.series[i].accesses += 1000 * i;
  EXPECT_THAT(paging_score(rising).how, HasSubstr("are still correlated"));
}

TEST(PagingScore, IsTheWholeRunsRateInTheMiddleOfItsInterval) {
  const auto paging = simulated(3, 0.5);
  const auto score = paging_score(paging);
  EXPECT_DOUBLE_EQ(score.accesses_per_s, static_cast<double>(paging.workers[0].accesses[0]) / 60);
  EXPECT_NEAR((score.low + score.high) / 2, score.accesses_per_s, 1e-6 * score.accesses_per_s);
}

TEST(PagingScore, UsesRepetitionsAsTheSample) {
  std::vector<result::Paging> repetitions(3);
  for (std::size_t i = 0; i < 3; ++i) {
    repetitions[i].window_ns = 1'000'000'000;
    repetitions[i].workers.resize(1);
    repetitions[i].workers[0].accesses[1] = 100 + 10 * i;
  }
  const auto score = paging_score(repetitions);
  EXPECT_DOUBLE_EQ(score.accesses_per_s, 110);
  // On a log scale: 109.695 times or through e to the 4.302653 * 0.091285 / sqrt(3).
  EXPECT_NEAR(score.low, 87.45, 0.05);
  EXPECT_NEAR(score.high, 137.6, 0.05);
  EXPECT_EQ(score.how, "3 repetitions");
}

TEST(PagingScore, HasARangeForTwoRepetitions) {
  std::vector<result::Paging> repetitions(2);
  for (std::size_t i = 0; i < 2; ++i) {
    repetitions[i].window_ns = 1'000'000'000;
    repetitions[i].workers.resize(1);
    repetitions[i].workers[0].accesses[1] = 100 + 10 * i;
  }
  const auto score = paging_score(repetitions);
  EXPECT_EQ(score.confidence, 0);
  EXPECT_DOUBLE_EQ(score.low, 100);
  EXPECT_DOUBLE_EQ(score.high, 110);
}

TEST(PagingScore, IsZeroWithoutAnyMeasurement) {
  EXPECT_EQ(paging_score(result::Paging{}).accesses_per_s, 0);
  EXPECT_EQ(paging_score(std::span<const result::Paging>{}).confidence, 0);
}

}  // namespace
}  // namespace fathom::audit::paging
