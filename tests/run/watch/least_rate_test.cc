// Least rates over cycles: known answers.
#include "run/watch/least_rate.h"

#include <gtest/gtest.h>

namespace fathom::run::watch {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

LeastRateWatch::Counts done(std::uint64_t ios) {
  LeastRateWatch::Counts counts;
  counts.ios[0] = ios;
  counts.bytes[0] = ios * 4096;
  return counts;
}

// effect: rate_min rate_iops_min
TEST(LeastRate, NothingIsJudgedInTheFirstTwoSeconds) {
  job::fields::LeastRate rule;
  rule.iops[0] = 1000;
  LeastRateWatch watch(rule);
  EXPECT_EQ(watch.look(1000 * kMs, done(1)), "");
  EXPECT_EQ(watch.look(1999 * kMs, done(2)), "");
  EXPECT_EQ(watch.look(2000 * kMs, done(3)), "") << "the first cycle begins";
  EXPECT_EQ(watch.look(2999 * kMs, done(3)), "");
  EXPECT_EQ(watch.look(3000 * kMs, done(503)), "rate_iops_min=1000 not met, got 500 IOPS");
}

TEST(LeastRate, OnlyARateBelowTheMinimumIsReported) {
  job::fields::LeastRate rule;
  rule.bytes_per_s[0] = 4096000;
  LeastRateWatch watch(rule);
  for (std::uint64_t s = 2; s < 10; ++s) EXPECT_EQ(watch.look(s * 1000 * kMs, done(s * 1000)), "");
  EXPECT_EQ(watch.look(10'000 * kMs, done(9999)), "rate_min=4096000B/s not met, got 4091904B/s");
}

// As in fio: a pause in which nothing completes is judged with what ends it.
TEST(LeastRate, ARateIsJudgedWhenAnIoCompletes) {
  job::fields::LeastRate rule;
  rule.iops[0] = 1;
  LeastRateWatch watch(rule);
  EXPECT_EQ(watch.look(2000 * kMs, done(10)), "");
  EXPECT_EQ(watch.look(3000 * kMs, done(10)), "") << "nothing has completed: it is not known yet";
  EXPECT_EQ(watch.look(3900 * kMs, done(10)), "");
  EXPECT_EQ(watch.look(4000 * kMs, done(12)), "") << "two in two seconds";
  EXPECT_EQ(watch.look(7000 * kMs, done(12)), "");
  EXPECT_EQ(watch.look(8000 * kMs, done(13)), "rate_iops_min=1 not met, got 0 IOPS");
}

TEST(LeastRate, ADirectionIsJudgedOnceItHasCompletedAnIo) {
  job::fields::LeastRate rule;
  rule.iops[1] = 100;
  LeastRateWatch watch(rule);
  EXPECT_EQ(watch.look(2000 * kMs, done(10)), "");
  EXPECT_EQ(watch.look(3000 * kMs, done(20)), "") << "no write yet";
  auto counts = done(30);
  counts.ios[1] = 50;
  EXPECT_EQ(watch.look(4000 * kMs, counts), "rate_iops_min=100 not met, got 50 IOPS");
}

// effect: rate_cycle
TEST(LeastRate, RateCycleSetsTheCycle) {
  job::fields::LeastRate rule;
  rule.iops[0] = 1000;
  rule.cycle_ns = 100 * kMs;
  LeastRateWatch watch(rule);
  EXPECT_EQ(watch.look(2000 * kMs, done(0)), "");
  EXPECT_EQ(watch.look(2099 * kMs, done(0)), "");
  EXPECT_EQ(watch.look(2100 * kMs, done(99)), "rate_iops_min=1000 not met, got 990 IOPS");
}

}  // namespace
}  // namespace fathom::run::watch
