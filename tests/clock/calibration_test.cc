// Conversion arithmetic without hardware, then the real clocks against each other.
#include "clock/calibration.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <vector>

namespace fathom::clock {
namespace {

TEST(Conversion, IsExactForIdentity) {
  const auto c = Conversion::identity();
  for (std::uint64_t v : {0ull, 1ull, 4095ull, 1'000'000'007ull, 1ull << 60}) EXPECT_EQ(c.to_ns({v}).v, v);
}

TEST(Conversion, StaysWithinItsRoundingOverADay) {
  const double hz = 2'596'123'456.0;
  const auto c = Conversion::of_frequency(hz);
  for (double seconds : {1e-6, 1e-3, 1.0, 3600.0, 86400.0}) {
    const auto ticks = static_cast<std::uint64_t>(seconds * hz);
    EXPECT_NEAR(static_cast<double>(c.to_ns({ticks}).v), seconds * 1e9, 2.0 + seconds * 1e9 * 1e-9);
  }
}

TEST(Conversion, RoundTripsToTicks) {
  const auto c = Conversion::of_frequency(3.7e9);
  for (std::uint64_t ns : {1000ull, 123'456'789ull, 10'000'000'000ull}) {
    const auto back = c.to_ns(c.to_ticks({ns})).v;
    EXPECT_LE(ns - back, 1u) << ns;
  }
}

TEST(FrequencyOf, UsesTheNarrowestBracketOfEachEnd) {
  // The wide readings are wrong by a millisecond: using them would give another rate.
  const std::vector<ClockPair> begin = {{1'000'000, 0, 900'000}, {2'000'000, 2'000'000, 20}};
  const std::vector<ClockPair> end = {{12'000'000, 32'000'000 - 8'000'000, 20}, {13'000'000, 99'000'000, 500'000}};
  EXPECT_NEAR(frequency_of(begin, end), 2.2e9, 1);
}

TEST(FrequencyOf, RefusesAClockThatDoesNotAdvance) {
  const std::vector<ClockPair> a = {{100, 50, 1}}, b = {{200, 50, 1}}, earlier = {{50, 60, 1}};
  EXPECT_EQ(frequency_of(a, b), 0);
  EXPECT_EQ(frequency_of(a, earlier), 0);
  EXPECT_EQ(frequency_of({}, b), 0);
}

TEST(Calibrate, AgreesWithTheMonotonicClock) {
  const auto calibration = calibrate(Source::cpu);
  if (calibration.source != Source::cpu) GTEST_SKIP() << "this machine's CPU clock does not advance";
  const auto ticks = CpuClock::now();
  const auto ns = MonotonicClock::now();
  ::usleep(100'000);
  const double by_cpu = static_cast<double>(calibration.conversion.to_ns(CpuClock::now() - ticks).v);
  const double by_kernel = static_cast<double>((MonotonicClock::now() - ns).v);
  EXPECT_NEAR(by_cpu / by_kernel, 1.0, 0.005) << calibration.method;
}

TEST(Calibrate, KernelClocksCountNanoseconds) {
  EXPECT_EQ(calibrate(Source::clock_gettime).conversion.to_ns({12345}).v, 12345u);
  EXPECT_EQ(calibrate(Source::gettimeofday).conversion.to_ns({12000}).v, 12000u);
}

template <class Clock>
void never_goes_back() {
  auto last = Clock::now();
  for (int i = 0; i < 100'000; ++i) {
    const auto now = Clock::now();
    ASSERT_GE(now.v, last.v);
    last = now;
  }
}
TEST(Sources, NeverGoBackOnOneThread) {
  never_goes_back<CpuClock>();
  never_goes_back<MonotonicClock>();
}

}  // namespace
}  // namespace fathom::clock
