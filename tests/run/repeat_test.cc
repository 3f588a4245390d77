// --repeat: the numbers side by side, and the repetition that stands for them.
#include "run/repeat.h"

#include <gtest/gtest.h>

namespace fathom::run {
namespace {

result::Run run_of(std::uint64_t ios, std::uint64_t lat_ns) {
  result::Run run;
  result::Job job;
  job.name = "t";
  auto& d = job.dirs[0];
  d.ios = ios;
  d.bytes = ios * 4096;
  d.runtime_ns = 1'000'000'000;
  d.lat.moments_ns.add(lat_ns);
  d.lat.histogram_ns.add(lat_ns);
  run.jobs.push_back(job);
  return run;
}

TEST(Repeat, MetricsOfEachUsedDirectionAreSummarized) {
  const auto metrics = summarize_repetitions({run_of(100, 1000), run_of(300, 3000), run_of(200, 2000)});
  ASSERT_EQ(metrics.size(), 5u);
  EXPECT_EQ(metrics[0].metric, "iops");
  EXPECT_EQ(metrics[0].values, (std::vector<double>{100, 300, 200}));
  EXPECT_DOUBLE_EQ(metrics[0].mean, 200);
  EXPECT_DOUBLE_EQ(metrics[0].median, 200);
  EXPECT_DOUBLE_EQ(metrics[0].stddev, 100);
  EXPECT_EQ(metrics[2].metric, "lat_mean");
  EXPECT_DOUBLE_EQ(metrics[2].mean, 2000);
  for (const auto& m : metrics) EXPECT_EQ(m.direction, "read");
}

// What the headline has of a paced job has an interval too.
TEST(Repeat, OfPacedJobsLatenciesFromTheIntendedStartAreSummarizedToo) {
  auto one = run_of(1, 1000), other = run_of(1, 1000);
  for (auto* run : {&one, &other}) {
    run->jobs[0].dirs[0].intended_lat.moments_ns.add(500'000);
    run->jobs[0].dirs[0].intended_lat.histogram_ns.add(500'000);
  }
  const auto metrics = summarize_repetitions({one, other});
  ASSERT_EQ(metrics.size(), 8u);
  EXPECT_EQ(metrics[5].metric, "intended_lat_mean");
  EXPECT_DOUBLE_EQ(metrics[5].mean, 500'000);
  EXPECT_EQ(metrics[7].metric, "intended_lat_p99");
}

// One slow repetition of three: an interval by the mean alone would begin below zero.
TEST(Repeat, ConfidenceIntervalsDoNotBeginBelowZero) {
  for (const auto& m : summarize_repetitions({run_of(100, 10'300), run_of(95, 11'900), run_of(2, 1'240'000)})) {
    EXPECT_GT(m.ci95_low, 0) << m.metric;
    EXPECT_LE(m.ci95_low, m.median) << m.metric;
    EXPECT_GE(m.ci95_high, m.median) << m.metric;
  }
}

// By the rate of all jobs: 300 I/Os in two seconds are fewer a second than 200 in one.
TEST(Repeat, TheMedianIsOfTheRateOverTheWholeTime) {
  auto slow = run_of(150, 1);
  slow.jobs.push_back(slow.jobs[0]);
  for (std::uint64_t i = 0; i < 2; ++i) {
    auto& d = slow.jobs[i].dirs[0];
    d.begin_ns = i * 1'000'000'000, d.end_ns = (i + 1) * 1'000'000'000;
  }
  EXPECT_EQ(median_repetition({run_of(100, 1), run_of(200, 1), slow}), 2u);
}

TEST(Repeat, TheMedianRepetitionIsShown) {
  EXPECT_EQ(median_repetition({run_of(100, 1), run_of(300, 1), run_of(200, 1)}), 2u);
  EXPECT_EQ(median_repetition({run_of(5, 1)}), 0u);
}

}  // namespace
}  // namespace fathom::run
