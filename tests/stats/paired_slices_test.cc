// The cost of watching from what a job has done at the moments of slices: a known cost, one that the machine's weather
// would hide in two runs, medians and CPU time of a paced job, which slices do not count, and in a seeded simulation how
// often the interval holds the truth.
#include "stats/paired_slices.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"
#include "stats/histogram.h"

namespace fathom::stats {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

// A job and whoever watches it, on a clock of their own.
class Watched : public ::testing::Test {
 protected:
  Watched() { job_.latencies.assign(kBuckets, 0), job_.cpu_known = true, did(1, 1000, 0); }  // the job has begun
  void did(std::uint64_t ios, std::uint64_t each_ns, std::uint64_t cpu_ns) {
    job_.ios += ios;
    job_.job_ios += ios;
    job_.latencies[bucket_of(each_ns)] += ios;
    job_.cpu_ns += ios * cpu_ns;
  }
  void unwatched(std::uint64_t ms, std::uint64_t ios, std::uint64_t each_ns = 1000, std::uint64_t cpu_ns = 500) {
    cost_.at(SliceMoment::unwatched_from, job_);
    did(ios, each_ns, cpu_ns);
    job_.ns += ms * kMs;
    cost_.at(SliceMoment::unwatched_to, job_);
  }
  void slice(std::uint64_t ios, std::uint64_t each_ns = 1000, std::uint64_t cpu_ns = 500, bool cut_short = false) {
    job_.ns += 7 * kMs;  // attaching, in which a few go by
    did(3, 1000, 500);
    cost_.at(SliceMoment::watched_from, job_);
    did(ios, each_ns, cpu_ns);
    job_.ns += 50 * kMs;
    if (!cut_short) cost_.at(SliceMoment::watched_to, job_);
    job_.ns += 4 * kMs;
    cost_.at(SliceMoment::over, {});
  }

  SliceReading job_;
  PairedSlices cost_;
};

TEST_F(Watched, IsTheRateInsideAgainstTheOneBefore) {
  for (int i = 0; i < 11; ++i) unwatched(400, 40'000), slice(4500);
  const auto sum = cost_.sum();
  EXPECT_EQ(sum.slices, 10u) << "the job may have ended in the last";
  EXPECT_NEAR(sum.rate.value, 0.1, 1e-9);
  EXPECT_NEAR(sum.rate.half_width, 0, 1e-9);
}

// The machine's weather halves and doubles the rate from slice to slice; each is held against its own.
TEST_F(Watched, IsNotTheMachinesWeather) {
  base::Prng prng(3);
  for (int i = 0; i < 40; ++i) {
    const double rate = 100 * std::exp2(2 * prng.unit() - 1);  // I/Os a ms
    const auto pause = 60 + prng.below(800);
    unwatched(pause, static_cast<std::uint64_t>(rate * static_cast<double>(pause)));
    slice(static_cast<std::uint64_t>(rate * 50 * 0.97));
  }
  const auto sum = cost_.sum();
  EXPECT_NEAR(sum.rate.value, 0.03, 0.001);
  EXPECT_LT(sum.rate.half_width, 0.002);
}

TEST_F(Watched, OfAPacedJobIsItsMedianAndItsCpuTime) {
  for (int i = 0; i < 11; ++i) unwatched(400, 400, 10'000, 2000), slice(50, 10'500, 2400);
  const auto sum = cost_.sum();
  EXPECT_NEAR(sum.rate.value, 0, 1e-9);
  EXPECT_NEAR(sum.p50.value, 0.05, 0.015);
  EXPECT_NEAR(sum.p50.half_width, 0, 1e-9);
  EXPECT_NEAR(sum.cpu.value, 0.2, 1e-9);
  EXPECT_NEAR(sum.cpu_ns.value, 400, 1e-6);
  EXPECT_NEAR(sum.cpu_ns.half_width, 0, 1e-6);
}

// Writes beside the reads that the rate is of: CPU time is the job's, and so are the I/Os that it is divided by.
TEST_F(Watched, CpuTimeIsOfAllIosOfTheJob) {
  for (int i = 0; i < 11; ++i) {
    unwatched(400, 40'000);
    job_.job_ios += 20'000;  // attaching: nobody's
    slice(5000, 1000, 1000);
  }
  EXPECT_NEAR(cost_.sum().cpu_ns.value, 500, 1e-6);
}

TEST_F(Watched, WithoutAClockThereIsNoCpuTime) {
  job_.cpu_known = false;
  for (int i = 0; i < 11; ++i) unwatched(400, 40'000), slice(4500);
  EXPECT_EQ(cost_.sum().cpu.groups, 0u);
  EXPECT_LT(cost_.sum().cpu_ns.half_width, 0);
  EXPECT_GE(cost_.sum().rate.half_width, 0);
}

TEST_F(Watched, StallsAreInTheRateWhereverTheyFall) {
  for (int i = 0; i < 30; ++i) unwatched(400, i % 3 == 0 ? 0 : 60'000), slice(i % 5 == 0 ? 0 : 6250);
  const auto sum = cost_.sum();
  EXPECT_NEAR(sum.rate.value, 0, 0.06);
  EXPECT_GT(sum.rate.half_width, 0.1) << "and that hardly anything can be told is, too";
}

TEST_F(Watched, FewerThanThreeSlicesHaveNoInterval) {
  for (int i = 0; i < 3; ++i) unwatched(400, 40'000), slice(4500);
  EXPECT_EQ(cost_.sum().slices, 2u);
  EXPECT_LT(cost_.sum().rate.half_width, 0);
}

TEST_F(Watched, OnlyWholeSlicesBesideEnoughUnwatchedTimeCount) {
  for (int i = 0; i < 6; ++i) unwatched(400, 40'000), slice(4500);
  unwatched(10, 1);
  slice(4500);  // after too little
  unwatched(400, 40'000);
  slice(1, 1000, 500, true);  // cut short
  EXPECT_EQ(cost_.sum().slices, 5u);
  EXPECT_NEAR(cost_.sum().rate.value, 0.1, 1e-9);
}

TEST_F(Watched, AfterTheJobsEndNothingCounts) {
  for (int i = 0; i < 6; ++i) unwatched(400, 40'000), slice(4500);
  unwatched(400, 10'000);
  slice(0);
  unwatched(400, 0);
  slice(0);
  EXPECT_EQ(cost_.sum().slices, 5u);
  EXPECT_NEAR(cost_.sum().rate.value, 0.1, 1e-9);
}

TEST_F(Watched, BeforeTheFirstIoNothingDoes) {
  job_.ios = 0;
  unwatched(400, 20'000);
  slice(4500);
  for (int i = 0; i < 6; ++i) unwatched(400, 40'000), slice(4500);
  EXPECT_EQ(cost_.sum().slices, 5u);
  EXPECT_NEAR(cost_.sum().rate.value, 0.1, 1e-9);
}

// A ramp's end clears the histograms, and the counts of fsync.
TEST_F(Watched, CountersThatFallAreNobodys) {
  for (int i = 0; i < 6; ++i) unwatched(400, 40'000), slice(4500);
  unwatched(400, 40'000);
  job_.ns += 7 * kMs;
  cost_.at(SliceMoment::watched_from, job_);
  job_.ios = 10;
  job_.ns += 50 * kMs;
  cost_.at(SliceMoment::watched_to, job_);
  cost_.at(SliceMoment::over, {});
  unwatched(400, 40'000);
  job_.latencies.assign(kBuckets, 0);
  slice(4500);
  const auto sum = cost_.sum();
  EXPECT_EQ(sum.slices, 6u);
  EXPECT_NEAR(sum.rate.value, 0.1, 1e-9);
  EXPECT_EQ(sum.p50.groups, 6u);
}

TEST_F(Watched, ATimeWithoutSlicesIsNotMeasured) {
  unwatched(400, 40'000);
  EXPECT_EQ(cost_.sum().slices, 0u);
  EXPECT_EQ(cost_.sum().rate.groups, 0u);
}

// Rates that wander by some percent between neighbours, as on a shared machine; a cost of 4 %.
TEST(PairedSlices, TheIntervalHoldsTheTruthIn95Of100) {
  base::Prng prng(20260101);
  const auto wind = [&] { return 1 + 0.06 * (prng.unit() + prng.unit() + prng.unit() - 1.5); };
  int rate_held = 0, cpu_held = 0;
  constexpr int kTimes = 1000;
  for (int time = 0; time < kTimes; ++time) {
    PairedSlices cost;
    SliceReading job;
    job.ios = job.job_ios = 1;
    job.cpu_known = true;
    const auto goes = [&](std::uint64_t ms, double ios_a_ms, double cpu_ns) {
      const auto ios = static_cast<std::uint64_t>(ios_a_ms * static_cast<double>(ms));
      job.ns += ms * kMs;
      job.ios += ios;
      job.job_ios += ios;
      job.cpu_ns += static_cast<std::uint64_t>(static_cast<double>(ios) * cpu_ns);
    };
    for (int i = 0; i < 16; ++i) {
      cost.at(SliceMoment::unwatched_from, job);
      goes(60 + prng.below(80), 200 * wind(), 3000 * wind());
      cost.at(SliceMoment::unwatched_to, job);
      cost.at(SliceMoment::watched_from, job);
      goes(50, 192 * wind(), 3300 * wind());
      cost.at(SliceMoment::watched_to, job);
      cost.at(SliceMoment::over, {});
    }
    const auto sum = cost.sum();
    rate_held += std::abs(sum.rate.value - 0.04) < sum.rate.half_width;
    cpu_held += std::abs(sum.cpu_ns.value - 300) < sum.cpu_ns.half_width;
  }
  EXPECT_NEAR(rate_held, 950, 20);
  EXPECT_NEAR(cpu_held, 950, 20);
}

}  // namespace
}  // namespace fathom::stats
