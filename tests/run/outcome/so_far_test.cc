// A report in mid-run: what is made of a record whose worker goes on.
#include "run/outcome/so_far.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/system/shared_memory.h"
#include "run/records/process_usage.h"

namespace fathom::run::outcome {
namespace {

TEST(SoFar, MomentsAreScaledToTheHistogramsCount) {
  stats::Moments moments;
  for (const std::uint64_t ns : {100, 200, 300, 400}) moments.add(ns);
  auto fewer = moments;
  bring_to(fewer, 2);
  EXPECT_EQ(fewer.n, 2u);
  EXPECT_DOUBLE_EQ(fewer.mean(), moments.mean());
  EXPECT_EQ(fewer.min(), 100u);
  EXPECT_EQ(fewer.max, 400u);
  auto more = moments;
  bring_to(more, 400);
  EXPECT_DOUBLE_EQ(more.mean(), 250);
  EXPECT_NEAR(more.stddev(), 111.9, 0.1);  // of the population
  bring_to(more, 0);
  EXPECT_EQ(more, stats::Moments{});
  stats::Moments none;
  bring_to(none, 7);
  EXPECT_EQ(none, stats::Moments{});
}

TEST(SoFar, ARunningRecordIsCopiedAsIfItEndedNow) {
  base::system::SharedArray<records::WorkerRecord> records(1);
  auto& live = records[0];
  live.set_phase(records::Phase::running);
  live.start_ns = 5'000;
  auto& read = live.measured.dirs[0];
  for (int i = 0; i < 10; ++i) read.clat.add(read.clat_counts, 1000);
  read.clat.moments.add(1000);  // one that is not in the histogram yet
  live.measured.done.ios[0].add(11);
  const auto copy = record_so_far(live, 2'000'005'000);
  EXPECT_EQ(copy->elapsed_ns, 2'000'000'000u);
  EXPECT_EQ(copy->job_ns, 2'000'000'000u);
  EXPECT_EQ(copy->measured.done.ios[0].get(), 11u);
  EXPECT_EQ(copy->measured.dirs[0].clat.moments.n, 10u);
  EXPECT_EQ(stats::Histogram(copy->measured.dirs[0].clat_counts).total(), 10u);
  EXPECT_EQ(live.measured.dirs[0].clat.moments.n, 11u) << "the worker's own is as it was";
  EXPECT_EQ(live.elapsed_ns, 0u);
}

TEST(SoFar, CountsOfTheRampAreNotReported) {
  base::system::SharedArray<records::WorkerRecord> records(1);
  records[0].set_phase(records::Phase::ramp);
  records[0].start_ns = 5'000;
  records[0].measured.done.ios[0].add(11);
  const auto copy = record_so_far(records[0], 2'000'005'000);
  EXPECT_EQ(copy->measured.done.ios[0].get(), 0u);
  EXPECT_EQ(copy->elapsed_ns, 0u);
}

TEST(StatusBeat, FiresOnItsIntervalAndSkipsMissedBeats) {
  StatusBeat beat(100, 1000);
  EXPECT_FALSE(beat.due(1099));
  EXPECT_TRUE(beat.due(1100));
  EXPECT_FALSE(beat.due(1199));
  EXPECT_TRUE(beat.due(1450));
  EXPECT_EQ(beat.next_ns(), 1500u);
  StatusBeat never(0, 1000);
  EXPECT_FALSE(never.due(~0ull - 1));
}

TEST(ProcessUsage, IsParsedFromProcStatAndStatus) {
  const auto usage =
      records::parse_process_usage("42 (a b) c) S 1 2 3 4 5 6 70 8 9 10 250 50 0 0 20 0 1 0 1000 7 8\n",
                                   "Name:\tx\nvoluntary_ctxt_switches:\t30\nnonvoluntary_ctxt_switches:\t4\n", 100, 15);
  ASSERT_TRUE(usage.has_value());
  EXPECT_EQ(usage->minor_faults, 70u);
  EXPECT_EQ(usage->major_faults, 9u);
  EXPECT_DOUBLE_EQ(usage->user_cpu_s, 2.5);
  EXPECT_DOUBLE_EQ(usage->system_cpu_s, 0.5);
  EXPECT_DOUBLE_EQ(usage->age_s, 5);
  EXPECT_EQ(usage->ctx_switches, 34u);
  EXPECT_FALSE(records::parse_process_usage("42 (a) S 1", "", 100, 15).has_value());
  EXPECT_FALSE(records::parse_process_usage("", "", 100, 15).has_value());
  EXPECT_TRUE(records::usage_of_process(::getpid()).has_value());
  EXPECT_FALSE(records::usage_of_process(0).has_value());
}

}  // namespace
}  // namespace fathom::run::outcome
