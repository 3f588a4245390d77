// The floor of a pair of stamps, and a cached load above it. A clock may move in steps larger than the difference (10
// ns in some virtual machines): medians are whole steps then and cannot be held to 5 ns; means over pairs that begin
// anywhere within a step can, and are.
#include "paging/touch/stamp_floor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/attempts.h"
#include "clock/sources/calibration.h"
#include "paging/touch/access_asm.h"

namespace fathom::paging::touch {
namespace {

constexpr Stamps kAll[] = {Stamps::fenced, Stamps::rdtscp, Stamps::rdtsc, Stamps::clock_gettime};
constexpr double kWithin_ns = 5;

StampFloor measured(Stamps stamps) {
  const auto floor = measure_stamp_floor(stamps);
  EXPECT_TRUE(floor.ok());
  return floor.ok() ? *floor : StampFloor{};
}

double ns_per_tick(Stamps stamps) {
  static const auto calibration = clock::sources::calibrate(clock::sources::Source::cpu);
  return stamps == Stamps::clock_gettime ? 1 : 1e9 / calibration.ticks_per_second;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Of nine: a difference that is there is there in most of them, a disturbance is not.
TEST_IN_ATTEMPTS(StampFloor, IsWithinFiveNanosecondsOfACachedLoad) {
  const double ns = ns_per_tick(Stamps::fenced);
  std::vector<double> means, medians;
  double step = 0;
  for (int i = 0; i < 9; ++i) {
    const auto floor = measured(Stamps::fenced);
    means.push_back((floor.cached_load_mean - floor.empty_mean) * ns);
    medians.push_back((static_cast<double>(floor.cached_load_p50) - static_cast<double>(floor.empty_p50)) * ns);
    step = std::max(step, static_cast<double>(floor.step) * ns);
  }
  EXPECT_LE(std::abs(median(means)), kWithin_ns);
  EXPECT_LE(std::abs(median(medians)), std::max(kWithin_ns, step) + 0.01);
  ::testing::Test::RecordProperty("mean_ns", std::to_string(median(means)));
  ::testing::Test::RecordProperty("step_ns", std::to_string(step));
}

// Two means of the same lie closer together than the medians of this machine can: 5 ns of them are a real bound.
TEST_IN_ATTEMPTS(StampFloor, MeanResolvesBelowTheClocksStep) {
  std::vector<double> apart;
  for (int i = 0; i < 9; ++i) {
    const auto a = measured(Stamps::fenced), b = measured(Stamps::fenced);
    apart.push_back(std::abs(a.empty_mean - b.empty_mean));
  }
  const auto floor = measured(Stamps::fenced);
  EXPECT_LE(median(apart) * ns_per_tick(Stamps::fenced), 2.5);
  EXPECT_GE(floor.empty_mean, 0.5 * static_cast<double>(floor.empty_p50) - static_cast<double>(floor.step));
  EXPECT_LE(floor.empty_mean, 2 * static_cast<double>(floor.empty_p50 + floor.step));
}

// Every duration is a whole number of steps, or the step is not one.
TEST_IN_ATTEMPTS(StampFloor, StepIsTheClocksOwn) {
  for (const Stamps stamps : kAll) {
    const auto floor = measured(stamps);
    EXPECT_GT(floor.step, 0u) << name(stamps);
    EXPECT_LE(static_cast<double>(floor.step) * ns_per_tick(stamps), 100'000) << name(stamps);
    EXPECT_LE(floor.empty_p50, floor.empty_p99) << name(stamps);
    if (floor.step < 8) continue;  // of so few ticks everything is a multiple
    for (const std::uint64_t median : {floor.empty_p50, floor.cached_load_p50}) {
      const std::uint64_t steps = (median + floor.step / 2) / floor.step, exact = steps * floor.step;
      EXPECT_LE(median > exact ? median - exact : exact - median, 1 + steps) << name(stamps) << ' ' << median;
    }
  }
}

TEST_IN_ATTEMPTS(StampFloor, ThresholdForFaultLookupsIsAboveIt) {
  for (const Stamps stamps : kAll) {
    const auto floor = measured(stamps);
    EXPECT_GT(slow_threshold(floor), floor.empty_p50) << name(stamps);
    EXPECT_LT(slow_threshold(floor), floor.fastest_fault) << name(stamps);
    EXPECT_GT(floor.lookup_p50, floor.empty_p50) << name(stamps);
  }
}

}  // namespace
}  // namespace fathom::paging::touch
