// The range of rates from simulated brackets: the truth is always in it, whatever disturbs them.
#include "clock/sources/bracket.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "clock/sim_counter.h"

namespace fathom::clock::sources {
namespace {

constexpr double kHz = 2'596'122'000;

TEST(RateOf, EnclosesTheTruthWithinTheWidthOfTheBrackets) {
  SimCounter sim{.hz = kHz};
  auto brackets = sim.burst(8);
  sim.pause(1'000'000);
  for (const auto& b : sim.burst(8)) brackets.push_back(b);
  const auto range = rate_of(brackets);
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->holds(kHz));
  EXPECT_EQ(range->used, 16u);
  EXPECT_EQ(range->left_out, 0u);
  EXPECT_LT(range->bound_ppm(), 60);  // 44 ns of bracket over 1.06 ms
  EXPECT_GE(range->error_ppm(kHz), range->bound_ppm() * 0.99);
  EXPECT_LE(range->error_ppm(kHz), range->bound_ppm() * 2.01);
}

TEST(RateOf, ADisturbedBracketDoesNotShiftTheRange) {
  // 4 ms are taken inside three of the sixteen, before the counter is read, after it, and both: one-sided, too.
  SimCounter sim{.hz = kHz};
  sim.stolen_ns = [](int look) { return look == 4 || look == 26 || look == 28 || look == 29 ? 4e6 : 0.0; };
  auto brackets = sim.burst(8);
  sim.pause(1'000'000);
  for (const auto& b : sim.burst(8)) brackets.push_back(b);
  const auto range = rate_of(brackets);
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->holds(kHz));
  EXPECT_EQ(range->left_out, 0u);
  EXPECT_LT(range->bound_ppm(), 60);
}

TEST(RateOf, IsWideWhenEveryBracketIsDisturbed) {
  SimCounter sim{.hz = kHz};
  sim.stolen_ns = [](int look) { return look % 3 == 1 ? 1e6 : 0.0; };  // each is late by 1 ms, always on the same side
  auto brackets = sim.burst(8);
  sim.pause(20'000'000);
  for (const auto& b : sim.burst(8)) brackets.push_back(b);
  const auto range = rate_of(brackets);
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->holds(kHz));
  EXPECT_GT(range->bound_ppm(), 1000);
}

// 26: AMD's counters, 10 ns. 2600: an emulated one, a microsecond.
TEST(RateOf, AllowsForACounterThatMovesInSteps) {
  for (const std::uint64_t grain : {2ull, 26ull, 100ull, 2600ull}) {
    SimCounter sim{.hz = kHz, .grain_ticks = grain};
    std::vector<Bracket> brackets;
    for (int look = 0; look < 20; ++look) {
      for (const auto& b : sim.burst(8)) brackets.push_back(b);
      sim.pause(1'000'000);
    }
    const auto range = rate_of(brackets);
    ASSERT_TRUE(range) << grain;
    EXPECT_TRUE(range->holds(kHz)) << grain;
    EXPECT_EQ(range->left_out, 0u) << grain;
    EXPECT_LT(range->bound_ppm(), grain > 1000 ? 110 : 6) << grain;
  }
}

RC_GTEST_PROP(RateOfProperty, AlwaysHoldsTheTruth, ()) {
  const double hz = *rc::gen::inRange(1'000'000, 2'000'000'000) * 2.0;
  const auto steals = *rc::gen::container<std::vector<int>>(96, rc::gen::inRange(0, 40));
  SimCounter sim{.hz = hz, .grain_ticks = *rc::gen::inRange<std::uint64_t>(1, 40)};
  sim.stolen_ns = [&](int look) {
    const int s = steals[static_cast<std::size_t>(look) % steals.size()];
    return s > 36 ? s * 1e5 : s * 1.0;
  };
  std::vector<Bracket> brackets;
  for (int look = 0; look < 6; ++look) {
    for (const auto& b : sim.burst(5)) brackets.push_back(b);
    sim.pause(300'000);
  }
  const auto range = rate_of(brackets);
  RC_ASSERT(range.has_value());
  RC_ASSERT(range->holds(hz));
  RC_ASSERT(range->left_out == 0u);
}

TEST(RateOf, IgnoresAMinorityOfContradictingBrackets) {
  SimCounter sim{.hz = kHz};
  auto brackets = sim.burst(8);
  sim.pause(1'000'000);
  for (const auto& b : sim.burst(8)) brackets.push_back(b);
  brackets[3].ticks += 2'600'000;  // the counter was wrong by a millisecond
  brackets[12].ticks -= 26'000;
  const auto range = rate_of(brackets);
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->holds(kHz));
  EXPECT_EQ(range->left_out, 2u);
  EXPECT_LT(range->bound_ppm(), 60);
}

TEST(RateOf, RefusesACounterThatChangesItsRate) {
  SimCounter sim{.hz = kHz};
  std::vector<Bracket> brackets;
  double counted = 0;
  for (int look = 0; look < 6; ++look) {
    const double hz = look % 2 == 0 ? kHz : kHz / 2;
    sim.pause(1'000'000);
    counted += 1'060'000 * hz / 1e9;
    for (int i = 0; i < 8; ++i) {
      const auto before = sim.reference();
      brackets.push_back({before, static_cast<std::uint64_t>(counted), sim.reference()});
      counted += 44 * hz / 1e9;
    }
  }
  EXPECT_FALSE(rate_of(brackets));
}

TEST(RateOf, RefusesTooFewOrOverlappingBrackets) {
  EXPECT_FALSE(rate_of({}));
  const std::vector<Bracket> one = {{100, 50, 150}};
  EXPECT_FALSE(rate_of(one));
  const std::vector<Bracket> overlapping = {{100, 50, 150}, {140, 60, 190}};  // it may be the same moment
  EXPECT_FALSE(rate_of(overlapping));
  const std::vector<Bracket> stopped = {{100, 50, 150}, {1'000'100, 50, 1'000'150}};
  EXPECT_FALSE(rate_of(stopped));
  const std::vector<Bracket> backwards = {{100, 50'000, 150}, {1'000'100, 50, 1'000'150}};
  EXPECT_FALSE(rate_of(backwards));
}

TEST(ReadBracket, EnclosesTheReading) {
  for (const auto source : {Source::cpu, Source::clock_gettime, Source::gettimeofday})
    for (const auto& b : read_brackets(20, source)) {
      EXPECT_LT(b.before_ns, b.after_ns);
      EXPECT_GT(b.ticks, 0u);
    }
}

}  // namespace
}  // namespace fathom::clock::sources
