// What is said of clocks that moved during a run.
#include "run/process/clock_watches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::run::process {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

clock::Moved jumps(double ns) {
  clock::Moved moved;
  moved.jumps = 1;
  moved.largest_jump_ns = moved.net_ns = ns;
  moved.first_jump_s = 2.5;
  moved.watched_s = 10;
  return moved;
}

result::Finding the_one(const ClocksMoved& moved) {
  const auto findings = clock_findings(moved);
  EXPECT_EQ(findings.size(), 1u);
  return findings.empty() ? result::Finding{} : findings[0];
}

TEST(ClockFindingsOfARun, AreNoneOfClocksThatDidNotMove) {
  ClocksMoved moved;
  moved.counter.watched_s = moved.calendar.watched_s = moved.sleep.watched_s = 10;
  EXPECT_THAT(clock_findings(moved), IsEmpty());
  moved.by_calendar = true;
  EXPECT_THAT(clock_findings(moved), IsEmpty());
}

TEST(ClockFindingsOfARun, NameTheJumpOfTheCpuClock) {
  const auto finding = the_one({.counter = jumps(-0.25e9)});
  EXPECT_EQ(finding.id, "clock.jumped");
  EXPECT_EQ(finding.severity, result::Severity::warning);
  EXPECT_THAT(finding.evidence, HasSubstr("CPU clock"));
  EXPECT_THAT(finding.evidence,
              HasSubstr("jumped 1 times against CLOCK_MONOTONIC_RAW, by -0.25 s at most, first 2.5 s"));
}

TEST(ClockFindingsOfARun, AreAWarningOfASetCalendarOnlyWhereItStamps) {
  const auto stamps = the_one({.calendar = jumps(3600e9), .by_calendar = true});
  EXPECT_EQ(stamps.id, "clock.jumped");
  EXPECT_EQ(stamps.severity, result::Severity::warning);
  EXPECT_THAT(stamps.evidence, HasSubstr("which stamps the I/Os, was set 1 times, by +3600 s"));
  const auto dates = the_one({.calendar = jumps(3600e9)});
  EXPECT_EQ(dates.id, "clock.jumped");
  EXPECT_EQ(dates.severity, result::Severity::note);
}

TEST(ClockFindingsOfARun, NameAnotherRateAndItsPartOfTheRun) {
  clock::Moved moved;
  moved.watched_s = 60;
  moved.off_rate_s = 20;
  moved.off_rate_ppm = -812;
  const auto finding = the_one({.counter = moved});
  EXPECT_EQ(finding.id, "clock.rate_changed");
  EXPECT_THAT(finding.evidence, HasSubstr("for 20.0 of 60.0 s: -812 ppm"));
  moved.off_rate_s = 60;
  EXPECT_THAT(clock_findings({.counter = moved}), IsEmpty()) << "one rate throughout is a drift (clock.drift)";
}

TEST(ClockFindingsOfARun, NameASuspend) {
  const auto finding = the_one({.sleep = jumps(90e9)});
  EXPECT_EQ(finding.id, "clock.slept");
  EXPECT_THAT(finding.evidence, HasSubstr("suspended for 90 s"));
}

}  // namespace
}  // namespace fathom::run::process
