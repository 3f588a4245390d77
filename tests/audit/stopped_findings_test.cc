// Runs that were stopped: for long, for one I/O or one wait, or many times; and runs that were not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/run_findings.h"
#include "levels.h"

namespace fathom::audit {
namespace {

using result::Severity;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(StoppedFinding, SaysForHowLongAndWhen) {
  const auto found = run_findings(run_with_series(levels({{5000, 10}, {0, 4}, {5000, 10}})));
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(found[0].id, "run.stopped");
  EXPECT_EQ(found[0].evidence, "no I/O ended in 2.0 s of 12.0 s (17 %), the longest gap from 5.0 s on");
}

TEST(StoppedFinding, OfBothDirectionsEitherCounts) {
  auto run = run_with_series(levels({{5000, 10}, {0, 4}, {5000, 10}}));
  series(run.jobs[0], levels({{3000, 24}}), 1);
  EXPECT_THAT(ids(run), ::testing::Not(::testing::Contains("run.stopped")));
}

TEST(StoppedFinding, AJobOfFewIosHasIntervalsWithoutAny) {
  EXPECT_THAT(ids(run_with_series(levels({{1, 3}, {0, 3}, {1, 3}}))), IsEmpty());
}

TEST(StoppedFinding, OneIoMayBeWhatStopped) {
  auto run = sound_run();
  auto& read = run.jobs[0].dirs[0];
  read.clat.moments_ns.add(700'000'000);
  const auto found = run_findings(run);
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(found[0].evidence, "read: one I/O took 700 ms of a run of 2.0 s");
  read.runtime_ns = 8 * kSecond;
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(StoppedFinding, TheSyncAtTheEndIsNoStop) {
  auto run = run_with_series(levels({{5000, 10}, {300, 1}, {0, 9}}));
  EXPECT_THAT(ids(run), ElementsAre("run.stopped"));
  for (const char* const option : {"end_fsync", "fsync_on_close"}) {
    run.jobs[0].options.emplace_back(option, "1");
    EXPECT_THAT(ids(run), IsEmpty()) << option;
    run.jobs[0].options.back().second = "0";
    EXPECT_THAT(ids(run), ElementsAre("run.stopped")) << option;
    run.jobs[0].options.pop_back();
  }
  auto paused = run_with_series(levels({{5000, 10}, {0, 8}, {5000, 10}}));
  paused.jobs[0].options.emplace_back("end_fsync", "1");
  EXPECT_THAT(ids(paused), ElementsAre("run.stopped")) << "in the middle";
}

TEST(StoppedFinding, ASyncThatTookAsLongIsTheReason) {
  auto run = run_with_series(levels({{5000, 10}, {0, 4}, {5000, 10}}));
  run.jobs[0].sync_ios = 3;
  run.jobs[0].sync_lat.moments_ns.add(1'900'000'000);
  EXPECT_EQ(run_findings(run)[0].severity, Severity::warning) << "the longest time without I/Os is 2 s";
  run.jobs[0].sync_lat.moments_ns.add(2'100'000'000);
  const auto found = run_findings(run)[0];
  EXPECT_EQ(found.severity, Severity::note);
  EXPECT_THAT(found.evidence, HasSubstr("the longest sync took 2.1 s"));
}

// The pauses of thinktime are the job's own.
TEST(StoppedFinding, OfAJobThatThinksOnlyLongGapsCount) {
  auto run = run_with_series(levels({{400, 10}, {0, 4}, {400, 10}}));
  run.jobs[0].options.emplace_back("thinktime", "1ms");
  EXPECT_THAT(ids(run), ElementsAre("run.stopped"));
  run.jobs[0].options.back().second = "700ms";
  EXPECT_THAT(ids(run), IsEmpty()) << "three pauses";
  auto pauses = run_with_series(levels({{400, 5}, {0, 1}, {400, 1}, {0, 4}, {400, 10}}));
  pauses.jobs[0].options.emplace_back("thinktime", "500000");
  EXPECT_EQ(run_findings(pauses)[0].evidence, "no I/O ended in 2.0 s of 10.5 s (19 %), the longest gap from 3.5 s on");
}

// Stopped with nothing in flight, it issues afterwards all that had become due.
TEST(StoppedFinding, OfAPacedJobALateIoTellsOfIt) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  auto& read = job.dirs[0];
  job.rate.paced = true;
  job.rate.asked_iops[0] = 12'800;
  read.start_delay.moments_ns.add(450'000'000);
  const auto found = run_findings(run);
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(found[0].id, "run.stopped");
  EXPECT_EQ(found[0].evidence, "read: an I/O was issued 450 ms after its intended start, in a run of 2.0 s");
  job.options.emplace_back("thinktime", "1s");
  EXPECT_THAT(ids(run), IsEmpty()) << "its own pause";
  job.options.pop_back();
  read.ios = 12'000;
  EXPECT_THAT(ids(run), ElementsAre("rate.not_kept")) << "the device cannot do as many";
  read.ios = 25'600;
  read.runtime_ns = 8 * kSecond, job.rate.asked_iops[0] = 3'200;
  EXPECT_THAT(ids(run), IsEmpty()) << "a twentieth of the run";
}

// A run of 2 s with so many I/Os of 100 us and of 200 ms.
result::Run with_slow_ios(int fast, int slow) {
  auto run = sound_run();
  auto& histogram = run.jobs[0].dirs[0].clat.histogram_ns;
  for (int i = 0; i < fast; ++i) histogram.add(100'000);
  for (int i = 0; i < slow; ++i) histogram.add(200'000'000);
  return run;
}

// Of stops of 0.2 s each one is short: what they take together counts.
TEST(StoppedFinding, ManyShortOnesCountTogether) {
  const auto found = run_findings(with_slow_ios(9000, 5));
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(found[0].id, "run.stopped");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(found[0].evidence, "1.0 s of 2.0 s (50 %) passed in 5 I/Os of 50.0 ms or more");
  EXPECT_THAT(ids(with_slow_ios(9000, 0)), IsEmpty());
  EXPECT_THAT(ids(with_slow_ios(90, 5)), IsEmpty()) << "more than one in twenty is a second mode";
}

TEST(StoppedFinding, IosInFlightTogetherWaitTogether) {
  auto run = with_slow_ios(9000, 5);
  run.jobs[0].iodepth = 5, run.jobs[0].delivery.mean_depth = 5;
  EXPECT_EQ(run_findings(run).at(0).evidence, "0.2 s of 2.0 s (10 %) passed in 5 I/Os of 50.0 ms or more");
  run.jobs[0].iodepth = 8, run.jobs[0].delivery.mean_depth = 8;
  EXPECT_THAT(ids(run), IsEmpty()) << "one device command that was slow keeps seven others from nothing";
}

TEST(StoppedFinding, WaitsThatEndedLateCount) {
  auto run = sound_run();
  run.jobs[0].overslept_ns = 600'000'000;
  run.jobs[0].options.emplace_back("thinktime", "10ms");
  EXPECT_EQ(run_findings(run).at(0).evidence, "0.6 s of 2.0 s (30 %) passed in waits that ended late");
  auto both = with_slow_ios(9000, 2);
  both.jobs[0].overslept_ns = 600'000'000;
  EXPECT_EQ(run_findings(both).at(0).evidence,
            "1.0 s of 2.0 s (50 %) passed in 2 I/Os of 50.0 ms or more and waits that ended late");
  run.jobs[0].overslept_ns = 100'000'000;
  EXPECT_THAT(ids(run), IsEmpty()) << "a twentieth of the run";
}

// A wait for a CPU, and a limit, have findings of their own.
TEST(StoppedFinding, WhatIsExplainedIsNoStop) {
  auto run = with_slow_ios(9000, 5);
  run.jobs[0].job_runtime_ms = 2000, run.jobs[0].cpu_wait_percent = 45;
  EXPECT_THAT(ids(run), ElementsAre("cpu.wait"));
  auto limited = with_slow_ios(9000, 5);
  limited.findings.push_back({.id = "io.limit", .severity = Severity::note});
  EXPECT_THAT(ids(limited), ElementsAre("run.stopped"));
  limited.findings[0].severity = Severity::warning;
  EXPECT_THAT(ids(limited), IsEmpty());
}

TEST(StoppedFinding, AWriterOfThePageCacheWaitsForTheDevice) {
  auto run = with_slow_ios(9000, 5);
  auto& job = run.jobs[0];
  std::swap(job.dirs[0], job.dirs[1]);
  EXPECT_EQ(run_findings(run).at(0).severity, Severity::warning);
  job.options = {{"rw", "write"}};
  EXPECT_EQ(run_findings(run).at(0).severity, Severity::note);
  job.options.emplace_back("sync", "1");
  EXPECT_EQ(run_findings(run).at(0).severity, Severity::warning) << "each write waits for the device";
}

}  // namespace
}  // namespace fathom::audit
