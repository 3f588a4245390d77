// Ticks to nanoseconds: the rounding, the range, and equality with the kernel's own arithmetic.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "clock/sources/source.h"

namespace fathom::clock {
namespace {

constexpr double kTwoTo32 = 4294967296.0;

TEST(Conversion, IdentityIsExact) {
  constexpr auto c = sources::Conversion::identity();
  for (std::uint64_t v : {0ull, 1ull, 4095ull, 1'000'000'007ull, 1ull << 60, (1ull << 63) - 1}) {
    EXPECT_EQ(c.to_ns({v}).v, v);
    EXPECT_EQ(c.to_ticks({v}).v, v);
  }
  EXPECT_EQ(c.ticks_per_second(), 1e9);
}

TEST(Conversion, PreShiftIsTheSmallestForTheFrequency) {
  EXPECT_EQ(sources::Conversion::of_frequency(2.6e9).pre_shift, 0u);
  EXPECT_EQ(sources::Conversion::of_frequency(1e10).pre_shift, 0u);
  EXPECT_EQ(sources::Conversion::of_frequency(1e9).pre_shift, 1u);
  EXPECT_EQ(sources::Conversion::of_frequency(24e6).pre_shift, 6u);
  EXPECT_EQ(sources::Conversion::of_frequency(1e6).pre_shift, 10u);
}

TEST(Conversion, KnownFrequenciesConvertExactly) {
  EXPECT_EQ(sources::Conversion::of_frequency(2e9).to_ns({3'000'000'001}).v, 1'500'000'000u);
  EXPECT_EQ(sources::Conversion::of_frequency(62.5e6).to_ns({62'500'000}).v, 1'000'000'000u);
  EXPECT_EQ(sources::Conversion::of_kernel(3'858'000'000u, 32).to_ns({1'000'000}).v,
            1'000'000ull * 3'858'000'000ull >> 32);
}

// Up to 2^50 ns: the largest value a histogram holds.
RC_GTEST_PROP(ConversionProperty, ErrorIsWithinRoundingFromOneMegahertzToTenGigahertz, ()) {
  const double hz = std::pow(10.0, 6 + 4 * *rc::gen::inRange(0, 1'000'001) / 1e6);
  const auto ns = *rc::gen::inRange<std::uint64_t>(1, 1ull << 50);
  const auto c = sources::Conversion::of_frequency(hz);
  const auto ticks = static_cast<std::uint64_t>(static_cast<double>(ns) * hz / 1e9);
  const long double exact = static_cast<long double>(ticks) * 1e9L / static_cast<long double>(hz);
  const auto got = static_cast<long double>(c.to_ns({ticks}).v);
  RC_ASSERT(got <= exact * (1 + 1 / kTwoTo32));
  RC_ASSERT(got >= exact * (1 - 1 / kTwoTo32) - 1);
  RC_ASSERT(std::abs(c.ticks_per_second() / hz - 1) < 1 / kTwoTo32);
}

RC_GTEST_PROP(ConversionProperty, EqualsTheKernelsMultiplyAndShift, ()) {
  const auto mult = *rc::gen::inRange<std::uint32_t>(1, UINT32_MAX);
  const auto shift = *rc::gen::inRange(0u, 64u);
  const auto bits = *rc::gen::inRange(1u, 55u);
  const auto ticks = *rc::gen::inRange<std::uint64_t>(0, 1ull << bits);
  const auto exact = static_cast<unsigned __int128>(ticks) * mult >> shift;
  RC_PRE(exact < static_cast<unsigned __int128>(1) << 62);
  RC_ASSERT(sources::Conversion::of_kernel(mult, shift).to_ns({ticks}).v == static_cast<std::uint64_t>(exact));
}

RC_GTEST_PROP(ConversionProperty, IsMonotonic, ()) {
  const auto c = sources::Conversion::of_frequency(*rc::gen::inRange(1'000'000, 2'000'000'000) * 1.0);
  const auto ticks = *rc::gen::inRange<std::uint64_t>(0, 1ull << 50);
  RC_ASSERT(c.to_ns({ticks}).v <= c.to_ns({ticks + 1}).v);
}

RC_GTEST_PROP(ConversionProperty, RoundTripsWithinATick, ()) {
  const double hz = *rc::gen::inRange(1, 10'001) * 1e6;
  const auto ns = *rc::gen::inRange<std::uint64_t>(0, 1ull << 50);
  const auto c = sources::Conversion::of_frequency(hz);
  const auto back = c.to_ns(c.to_ticks({ns})).v;
  RC_ASSERT(back <= ns);
  RC_ASSERT(static_cast<double>(ns - back) <= 1 + 1e9 / hz);
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
TEST(ClockSources, AreMonotonicOnOneThread) {
  never_goes_back<sources::CpuClock>();
  never_goes_back<sources::OrderedCpuClock>();
#if defined(__x86_64__)
  never_goes_back<sources::RdtscpClock>();
#endif
  never_goes_back<sources::MonotonicClock>();
  never_goes_back<sources::MonotonicRawClock>();
}

static_assert(!sources::CpuClock::kCountsNanoseconds && sources::MonotonicClock::kCountsNanoseconds &&
              sources::GettimeofdayClock::kCountsNanoseconds);

}  // namespace
}  // namespace fathom::clock
