// Two clocks of different rates, read with torn brackets: the line stays within the bound that it states.
#include "pmu/trace/split/alignment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/attempts.h"
#include "base/prng.h"

namespace fathom::pmu {
namespace {

TEST(ClockAlignment, MapsOneClockToTheOtherWithinItsBound) {
  constexpr double kTicksPerNs = 2.3;
  constexpr std::uint64_t kOrigin = 5'000'000'000'000, kFirstTicks = 777'000'000'000;
  const auto ticks_at = [&](double ns) { return kFirstTicks + static_cast<std::uint64_t>(ns * kTicksPerNs); };
  trace::split::ClockAlignment alignment;
  base::Prng random(5);
  EXPECT_FALSE(alignment.ready());
  for (double at = 0; at < 10e9; at += 10e6) {
    const double before = 20 + random.unit() * 30, after = 20 + random.unit() * 30;
    alignment.add({kOrigin + static_cast<std::uint64_t>(at - before + 100), ticks_at(at),
                   kOrigin + static_cast<std::uint64_t>(at + after + 100)});
    if (at < 100e6) continue;
    ASSERT_TRUE(alignment.ready());
    for (const double back : {0.0, 1e6, 20e6}) {
      const double truth = static_cast<double>(kOrigin) + at - back + 100;
      const double got = static_cast<double>(alignment.to_reference_ns(ticks_at(at - back)));
      ASSERT_LE(std::abs(got - truth), alignment.error_ns() + 1) << at << " " << back;
    }
  }
  EXPECT_LT(alignment.error_ns(), 120);
  EXPECT_GT(alignment.error_ns(), 20);
}

TEST(ClockAlignment, ErrorGrowsWhenAClockSteps) {
  trace::split::ClockAlignment alignment;
  for (std::uint64_t at = 0; at < 1'000'000'000; at += 50'000'000) alignment.add({at, at, at + 40});
  EXPECT_LT(alignment.error_ns(), 50);
  alignment.add({1'050'000'000, 1'050'050'000, 1'050'000'040});  // one of them stepped by 50 us
  EXPECT_GT(alignment.error_ns(), 49'000);
}

TEST_IN_ATTEMPTS(ClockAlignment, AMeasuredBracketIsNarrow) {
  for (const auto reference : {clock::sources::HeldAgainst::monotonic_raw, clock::sources::HeldAgainst::monotonic}) {
    const auto bracket = trace::split::narrow_bracket(clock::sources::Source::clock_gettime, reference);
    EXPECT_GE(bracket.after_ns, bracket.before_ns);
    EXPECT_LT(bracket.after_ns - bracket.before_ns, 1'000'000u);
  }
}

}  // namespace
}  // namespace fathom::pmu
