// A job's ticks as CLOCK_MONOTONIC, held against that clock itself: a reading of the job's clock between two looks at it
// must be placed between them, some microseconds of a busy machine aside.
#include "split/monotonic_line.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/attempts.h"
#include "base/time.h"
#include "clock/sources/calibration.h"

namespace fathom::split {
namespace {

using clock::sources::Source;

constexpr std::uint64_t kMost_ns = 2000;  // that a moment may lie beside its bracket
constexpr std::uint64_t kMillisecond_ns = 1'000'000;

std::uint64_t ticks_now() { return clock::sources::CpuClock::now().v; }

struct Reading {
  std::uint64_t before_ns, ticks, after_ns;
};
Reading reading() {
  Reading r{};
  r.before_ns = base::monotonic_ns();
  r.ticks = ticks_now();
  r.after_ns = base::monotonic_ns();
  return r;
}
// How far the line's moment of a reading lies outside of the two looks around it.
std::uint64_t beside(const MonotonicLine& line, const Reading& r) {
  const std::uint64_t at = line.at(r.ticks);
  return at < r.before_ns ? r.before_ns - at : at > r.after_ns ? at - r.after_ns : 0;
}

// The CPU's ticks a second; 0: its clock is not to be had here.
double cpu_rate() {
  const auto found = clock::sources::calibrate(Source::cpu);
  return found.source == Source::cpu ? found.ticks_per_second : 0;
}

void hold_for(MonotonicLine& line, std::uint64_t ns, std::uint64_t each_ns) {
  for (const auto end = base::monotonic_ns() + ns; base::monotonic_ns() < end; base::sleep_ns(each_ns))
    line.hold(ticks_now());
}

TEST(MonotonicLine, OfAJobThatStampsWithThatClockIsTheIdentity) {
  MonotonicLine line(Source::clock_gettime, 1e9);
  for (const std::uint64_t ns : {std::uint64_t{0}, std::uint64_t{1}, base::monotonic_ns(), ~std::uint64_t{0}})
    EXPECT_EQ(line.at(ns), ns);
  base::sleep_ns(3 * kMillisecond_ns);
  EXPECT_FALSE(line.hold(base::monotonic_ns()));
  EXPECT_EQ(line.error_ns(), 0);
}

TEST(MonotonicLine, TakesOffWhatATimeNamespaceAdds) {
  const MonotonicLine later(Source::clock_gettime, 1e9, 5'000'000'000);
  EXPECT_EQ(later.at(7'000'000'123), 2'000'000'123u);
  const MonotonicLine earlier(Source::clock_gettime, 1e9, -5'000'000'000);
  EXPECT_EQ(earlier.at(7'000'000'123), 12'000'000'123u);
}

TEST_IN_ATTEMPTS(MonotonicLine, TakesThatOffTheCpusTicksToo) {
  const double rate = cpu_rate();
  if (rate == 0) GTEST_SKIP() << "no CPU clock here";
  for (const std::int64_t offset_ns : {std::int64_t{3'600'000'000'000}, std::int64_t{-1'000'000'000}}) {
    const MonotonicLine line(Source::cpu, rate, offset_ns);
    Reading r = reading();
    r.before_ns -= static_cast<std::uint64_t>(offset_ns);
    r.after_ns -= static_cast<std::uint64_t>(offset_ns);
    EXPECT_LE(beside(line, r), kMost_ns) << offset_ns;
  }
}

TEST_IN_ATTEMPTS(MonotonicLine, PlacesTheCpusTicksFromTheStartAndWhileItIsHeld) {
  const double rate = cpu_rate();
  if (rate == 0) GTEST_SKIP() << "no CPU clock here";
  MonotonicLine line(Source::cpu, rate);
  EXPECT_LE(beside(line, reading()), kMost_ns);
  for (const auto end = base::monotonic_ns() + 500 * kMillisecond_ns; base::monotonic_ns() < end;) {
    base::sleep_ns(kMillisecond_ns / 2);
    const Reading r = reading();
    ASSERT_LE(beside(line, r), kMost_ns) << "before it is held to it";
    line.hold(r.ticks);
    ASSERT_LE(beside(line, r), kMost_ns) << "after it was";
  }
  EXPECT_GT(line.error_ns(), 0);
  EXPECT_LT(line.error_ns(), 5000);
}

TEST_IN_ATTEMPTS(MonotonicLine, KnowsAnErrorAtOnce) {
  const double rate = cpu_rate();
  if (rate == 0) GTEST_SKIP() << "no CPU clock here";
  const MonotonicLine line(Source::cpu, rate);
  EXPECT_GT(line.error_ns(), 0) << "half of what the first reading took";
  EXPECT_LT(line.error_ns(), 5000);
}

// One part in a hundred is 50 us in 5 ms.
TEST_IN_ATTEMPTS(MonotonicLine, LearnsTheRateThatItWasToldWrong) {
  const double rate = cpu_rate();
  if (rate == 0) GTEST_SKIP() << "no CPU clock here";
  for (const double wrong : {0.99, 1.01}) {
    MonotonicLine line(Source::cpu, rate * wrong);
    base::sleep_ns(5 * kMillisecond_ns);
    EXPECT_GT(beside(line, reading()), 10'000u) << "what the rate does to it";
    hold_for(line, 100 * kMillisecond_ns, kMillisecond_ns / 2);
    base::sleep_ns(4 * kMillisecond_ns);
    EXPECT_LE(beside(line, reading()), kMost_ns) << wrong;
  }
}

TEST_IN_ATTEMPTS(MonotonicLine, PlacesWhatWasReadBeforeItWasHeld) {
  const double rate = cpu_rate();
  if (rate == 0) GTEST_SKIP() << "no CPU clock here";
  MonotonicLine line(Source::cpu, rate);
  hold_for(line, 100 * kMillisecond_ns, kMillisecond_ns);
  const Reading start = reading();
  base::sleep_ns(20 * kMillisecond_ns);
  ASSERT_TRUE(line.hold(ticks_now()));
  EXPECT_LE(beside(line, start), kMost_ns);
}

TEST_IN_ATTEMPTS(MonotonicLine, OfTheTimeOfDayIsHeldToo) {
  MonotonicLine line(Source::gettimeofday, 1e9);
  for (int i = 0; i < 40; ++i) {
    base::sleep_ns(2 * kMillisecond_ns);
    const std::uint64_t before_ns = base::monotonic_ns(), ticks = clock::sources::GettimeofdayClock::now().v,
                        after_ns = base::monotonic_ns();
    ASSERT_LE(beside(line, {before_ns, ticks, after_ns}), kMost_ns + 1000) << "it is a microsecond wide";
    line.hold(ticks);
  }
}

TEST_IN_ATTEMPTS(MonotonicLine, IsHeldWhereItIsDueOnly) {
  const double rate = cpu_rate();
  if (rate == 0) GTEST_SKIP() << "no CPU clock here";
  MonotonicLine line(Source::cpu, rate);
  EXPECT_FALSE(line.hold(ticks_now())) << "it has just been made";
  base::sleep_ns(2 * kMillisecond_ns);
  EXPECT_TRUE(line.hold(ticks_now())) << "each millisecond until its rate is known";
  EXPECT_FALSE(line.hold(ticks_now()));
  hold_for(line, 100 * kMillisecond_ns, kMillisecond_ns);
  base::sleep_ns(6 * kMillisecond_ns);
  EXPECT_TRUE(line.hold(ticks_now()));
  base::sleep_ns(2 * kMillisecond_ns);
  EXPECT_FALSE(line.hold(ticks_now())) << "then each fifth";
  base::sleep_ns(4 * kMillisecond_ns);
  EXPECT_TRUE(line.hold(ticks_now()));
}

// As often as that of 100 ms, and not for each reading.
TEST_IN_ATTEMPTS(MonotonicLine, IsHeldAFewDozenTimesHoweverManyReadingsThereAre) {
  const double rate = cpu_rate();
  if (rate == 0) GTEST_SKIP() << "no CPU clock here";
  MonotonicLine line(Source::cpu, rate);
  int readings = 0, held = 0;
  for (const auto end = base::monotonic_ns() + 100 * kMillisecond_ns; base::monotonic_ns() < end; ++readings)
    held += line.hold(ticks_now()) ? 1 : 0;
  EXPECT_GT(readings, 10'000);
  EXPECT_LE(held, 50 + 10 + 2);
  EXPECT_GE(held, 5);
}

TEST(MonotonicLine, IsHeldOnceForAStampThatSeveralIosShare) {
  const auto found = clock::sources::calibrate(Source::cpu);
  MonotonicLine line(found.source, found.ticks_per_second);
  base::sleep_ns(2'000'000);
  const std::uint64_t ticks = clock::sources::CpuClock::now().v;
  EXPECT_TRUE(line.hold(ticks));
  EXPECT_FALSE(line.hold(ticks)) << "the next I/O of the same reap";
}

TEST_IN_ATTEMPTS(MonotonicLine, TellsTheErrorOfARateThatIsWrongBeforeItIsLearnt) {
  const auto found = clock::sources::calibrate(Source::cpu);
  MonotonicLine line(found.source, found.ticks_per_second * (1 + 1e-4));  // what a calibration may be wrong at most
  base::sleep_ns(30'000'000);
  const std::uint64_t before_ns = base::monotonic_ns(), ticks = clock::sources::CpuClock::now().v;
  const double miss_ns = std::fabs(static_cast<double>(line.at(ticks)) - static_cast<double>(before_ns));
  line.hold(ticks);
  EXPECT_GT(line.error_ns(), miss_ns / 2) << "it was " << miss_ns << " ns beside";
}

}  // namespace
}  // namespace fathom::split
