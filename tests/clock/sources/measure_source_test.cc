// Cost and resolution: the arithmetic on numbers that are known, then every clock of this machine.
#include "clock/sources/measure_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/attempts.h"

namespace fathom::clock::sources {
namespace {

TEST(StepsOf, FindsSmallestStepAndResolution) {
  std::vector<std::uint64_t> readings = {1000};
  for (int i = 0; i < 1000; ++i) readings.push_back(readings.back() + (i % 3 == 0 ? 0 : i % 3 == 1 ? 26 : 78));
  auto steps = steps_of(readings);
  EXPECT_EQ(steps.smallest, 26u);
  EXPECT_EQ(steps.resolution, 26u);
  EXPECT_EQ(steps.backward, 0u);
  readings.push_back(readings.back() + 1);  // a counter that never gives the same value twice adds one now and then
  steps = steps_of(readings);
  EXPECT_EQ(steps.smallest, 1u);
  EXPECT_EQ(steps.resolution, 26u);
}

TEST(StepsOf, ResolutionIsAStepThatOccurred) {
  std::vector<std::uint64_t> readings = {0};
  for (int i = 0; i < 1000; ++i) readings.push_back(readings.back() + (i % 2 ? 20 : 25));
  EXPECT_EQ(steps_of(readings).smallest, 20u);
  EXPECT_EQ(steps_of(readings).resolution, 20u) << "no two readings differed by 5";
}

// Read every 9.8 ns, a counter of 10 ns a step is often read twice in one, and the processor adds a tick.
TEST(StepsOf, ASingleTickBetweenEqualReadingsIsNoStep) {
  std::vector<std::uint64_t> readings;
  for (std::uint64_t i = 0, last = 0; i < 5000; ++i) {
    const std::uint64_t now = i * 98 / 100 * 26;
    readings.push_back(last = now > last || i == 0 ? now : last + 1);
  }
  EXPECT_EQ(steps_of(readings).smallest, 1u);
  EXPECT_EQ(steps_of(readings).resolution, 26u);
  std::vector<std::uint64_t> slow;  // a counter of 100 MHz moves by one, two or three between readings
  for (std::uint64_t i = 0; i < 5000; ++i) slow.push_back(i * 9 / 4);
  for (std::size_t i = 9; i < slow.size(); i += 10) slow[i] = slow[i - 1] + 1;
  EXPECT_EQ(steps_of(slow).resolution, 1u);
}

// 25.96 ticks a step: one step is 26, of two together some are 53 and most 52. Nothing ever moved by one tick.
TEST(StepsOf, RoundedStepsDoNotLowerTheResolution) {
  std::vector<std::uint64_t> readings = {0};
  for (int i = 0; i < 5000; ++i) readings.push_back(readings.back() + (i % 50 == 0 ? 53 : i % 60 == 0 ? 52 : 26));
  EXPECT_EQ(steps_of(readings).resolution, 26u);
}

TEST(StepsOf, ResolutionOfACoarseClockIsItsSmallestStep) {
  std::vector<std::uint64_t> readings = {0};  // an emulated counter: 62.5 ticks at a time, every third reading
  for (int i = 0; i < 3000; ++i) readings.push_back(static_cast<std::uint64_t>(i / 3 * 62.5));
  EXPECT_EQ(steps_of(readings).smallest, 62u);
  EXPECT_EQ(steps_of(readings).resolution, 62u);
}

TEST(StepsOf, CountsBackwardSteps) {
  const std::vector<std::uint64_t> readings = {10, 20, 15, 25, 24, 34};
  EXPECT_EQ(steps_of(readings).backward, 2u);
  EXPECT_EQ(steps_of(readings).smallest, 10u);
  EXPECT_EQ(steps_of(readings).resolution, 10u);
}

TEST(StepsOf, AStoppedClockHasNoStep) {
  const std::vector<std::uint64_t> readings = {7, 7, 7};
  EXPECT_EQ(steps_of(readings).smallest, 0u);
  EXPECT_EQ(steps_of(readings).resolution, 0u);
  EXPECT_EQ(steps_of({}).smallest, 0u);
}

TEST(CostOf, IsPerRead) {
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 1; i <= 101; ++i) blocks.push_back(i * kReadsPerBlock);
  const auto cost = cost_of(blocks);
  EXPECT_DOUBLE_EQ(cost.min, 1);
  EXPECT_DOUBLE_EQ(cost.p50, 51);
  EXPECT_DOUBLE_EQ(cost.p99, 100);
  EXPECT_DOUBLE_EQ(cost_of({}).p50, 0);
}

TEST_IN_ATTEMPTS(MeasureSourceOnMachine, EveryClockHasCostAndResolution) {
  const auto calibration = calibrate(Source::cpu);
  if (calibration.source != Source::cpu) GTEST_SKIP() << "the CPU clock could not be calibrated";
  const auto begin = MonotonicClock::now();
  const auto measures = measure_sources(calibration.conversion, 2'000'000);
  EXPECT_LT((MonotonicClock::now() - begin).v, 500'000'000u) << "bounded: 2 ms each, and what was stolen meanwhile";
  std::set<Source> of_runs;
  for (const auto& m : measures) {
    EXPECT_GT(m.cost_ns.min, 0) << m.name;
    EXPECT_LE(m.cost_ns.min, m.cost_ns.p50) << m.name;
    EXPECT_LE(m.cost_ns.p50, m.cost_ns.p99) << m.name;
    EXPECT_GT(m.cost_ticks.p50, 0) << m.name;
    EXPECT_GT(m.reads, 100u) << m.name;
    EXPECT_GT(m.resolution_ns, 0) << m.name;
    EXPECT_LE(m.resolution_ns, 1100) << m.name;
    if (m.source != Source::gettimeofday) {
      EXPECT_EQ(m.backward_steps, 0u) << m.name;  // that one may be set
    }
    if (m.for_runs) {
      EXPECT_TRUE(of_runs.insert(m.source).second) << m.name << ": two of one source";
    }
  }
  EXPECT_EQ(of_runs.size(), 3u);
}

TEST(MeasureSource, GettimeofdayResolvesOneMicrosecond) {
  const auto m = measure_source(Source::gettimeofday, Conversion::of_frequency(2.5e9), 2'000'000);
  EXPECT_EQ(m.resolution_ns, 1000);
  EXPECT_EQ(m.name, "gettimeofday");
}

TEST(MeasureSource, ResolvesWhenItsTimeIsOverAtTheBegin) {
  const auto m = measure_source(Source::gettimeofday, Conversion::of_frequency(2.5e9), 0);
  EXPECT_EQ(m.resolution_ns, 1000);
  EXPECT_GT(m.cost_ns.p50, 0);
}

}  // namespace
}  // namespace fathom::clock::sources
