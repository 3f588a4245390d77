// Doubts about the clock and about fathom's own cost: raised by their cause, silent just inside their thresholds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/run_findings.h"
#include "sound_run.h"

namespace fathom::audit {
namespace {

using result::Severity;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void fall_back(result::Job& job) {
  job.clock.source = "clock_gettime";
  job.clock.fit = false;
  job.clock.fell_back = true;
  job.clock.reason = "the CPU clock is not invariant";
}

TEST(ClockFindings, ARequestedUnfitSourceIsOneWarning) {
  auto run = sound_run();
  auto& clock = run.jobs[0].clock;
  clock.fit = false;
  clock.verdict = "failed";
  clock.reason = "time ran backwards between CPUs 0 and 1 by up to 210 ns";
  run.jobs.push_back(run.jobs[0]);
  run.disks[0].read_sectors *= 2;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "clock.unfit");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_THAT(found[0].evidence, HasSubstr("cpu was used as asked: time ran backwards between CPUs 0 and 1"));
  EXPECT_THAT(found[0].remedy, HasSubstr("clocksource=clock_gettime"));
  run.jobs[1].clock.reason = "another";
  EXPECT_THAT(ids(run), ElementsAre("clock.unfit", "clock.unfit"));
}

TEST(ClockFindings, MembersOfAGroupAreCheckedToo) {
  auto run = sound_run();
  run.jobs[0].members = 2;
  run.group_members = {run.jobs[0], run.jobs[0]};
  EXPECT_THAT(ids(run), IsEmpty());
  run.group_members[1].clock.fit = false;
  EXPECT_THAT(ids(run), ElementsAre("clock.unfit"));
}

TEST(ClockFindings, AFallBackIsOneFinding) {
  auto run = sound_run();
  fall_back(run.jobs[0]);
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "clock.fell_back");
  EXPECT_THAT(found[0].evidence, HasSubstr("clock_gettime used instead of the CPU clock"));
  EXPECT_THAT(found[0].evidence, HasSubstr("not invariant"));
}

// Two readings an I/O beside the time that one takes: with many in flight that is less than a latency.
TEST(ClockFindings, AFallBackIsAWarningWhereReadingsMatter) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  fall_back(job);
  job.clock.read_cost_ns = 25;
  job.dirs[0].ios = 5000;
  job.dirs[0].runtime_ns = 1'000'000'000;
  auto found = run_findings(run);
  EXPECT_EQ(found[0].severity, Severity::note) << "25 ns of 200 us";
  job.dirs[0].ios = 2'000'000;
  found = run_findings(run);
  EXPECT_EQ(found[0].severity, Severity::warning) << "50 ns of 500 ns";
  ASSERT_TRUE(found[0].effect);
  EXPECT_DOUBLE_EQ(found[0].effect->value, 0.1);
}

TEST(ClockFindings, ASkippedCheckIsANoteForTheCpuClockOnly) {
  auto run = sound_run();
  run.jobs[0].clock.check_skipped = true;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "clock.check_skipped");
  EXPECT_EQ(found[0].severity, Severity::note);
  run.jobs[0].clock.source = "clock_gettime";
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(ClockFindings, ACrossCoreTestThatCouldNotRunIsANote) {
  auto run = sound_run();
  run.jobs[0].clock.verdict = "not tested";
  run.jobs[0].clock.reason = "all CPUs were busy";
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "clock.not_tested");
  EXPECT_EQ(found[0].severity, Severity::note);
  EXPECT_THAT(found[0].evidence, HasSubstr("all CPUs were busy"));
}

TEST(ClockFindings, APassedShortTestIsNoFinding) {
  auto run = sound_run();
  run.jobs[0].clock.test = "short";
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(ClockFindings, TheFakeClockNeedsNoTest) {
  auto run = sound_run();
  run.jobs[0].clock = {};
  run.jobs[0].clock.source = "sim";
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(ClockFindings, UnknownClockFactsAreNoFinding) {
  auto run = sound_run();
  run.jobs[0].clock = {};  // as in a job that failed before it had a clock
  run.jobs[0].own_cost.reset();
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(DriftFinding, IsRaisedBeyond100PpmPlusItsBound) {
  auto run = sound_run();
  auto& clock = run.jobs[0].clock;
  for (const double sign : {-1.0, 1.0}) {
    clock.drift_bound_ppm = 7;
    clock.drift_ppm = sign * 107;
    EXPECT_THAT(ids(run), IsEmpty());
    clock.drift_ppm = sign * 107.5;
    const auto found = run_findings(run);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].id, "clock.drift");
    EXPECT_EQ(found[0].severity, Severity::warning);
    EXPECT_THAT(found[0].evidence, HasSubstr(sign < 0 ? "-107.5 ppm" : "+107.5 ppm"));
  }
}

TEST(DriftFinding, AWideBoundHidesASmallDriftButNotAWrongFrequency) {
  auto run = sound_run();
  auto& clock = run.jobs[0].clock;
  clock.drift_bound_ppm = 5000;
  clock.drift_ppm = 4000;
  EXPECT_THAT(ids(run), IsEmpty());
  clock.drift_ppm = 420'000;
  EXPECT_THAT(ids(run), ElementsAre("clock.drift"));
  clock.drift_ppm.reset();
  EXPECT_THAT(ids(run), IsEmpty());
}

// 97 % of the I/Os within one step of a clock that counts microseconds.
result::Job by_gettimeofday() {
  auto job = sound_run().jobs[0];
  drive_by("null", job);
  job.clock.source = "gettimeofday";
  job.clock.resolution_ns = 1000;
  auto& clat = job.dirs[0].clat;
  clat = {};
  for (int i = 0; i < 100; ++i) {
    clat.moments_ns.add(i < 97 ? 0 : 1000);
    clat.histogram_ns.add(i < 97 ? 0 : 1000);
  }
  return job;
}

TEST(ResolutionFinding, IsRaisedForAStepAboveTheMedianLatency) {
  auto run = sound_run();
  run.disks.clear();
  run.jobs = {by_gettimeofday()};
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "clock.coarse");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(found[0].job, "t");
  EXPECT_THAT(found[0].evidence, HasSubstr("gettimeofday moves in steps of 1000 ns, the median clat is 0 ns"));
}

// 26 ticks of 2.6 GHz: one step is recorded as 10 ns.
TEST(ResolutionFinding, IsNotRaisedForALatencyOfOneRoundedStep) {
  auto run = sound_run();
  run.jobs[0].clock.resolution_ns = 10.02;
  auto& clat = run.jobs[0].dirs[0].clat;
  clat = {};
  clat.moments_ns.add(10);
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].clock.resolution_ns = 11;
  EXPECT_THAT(ids(run), ElementsAre("clock.coarse"));
  EXPECT_THAT(run_findings(run)[0].remedy, HasSubstr("not its percentiles"));
}

TEST(ResolutionFinding, IsNotRaisedForLongOrMissingLatencies) {
  auto run = sound_run();
  run.jobs[0].clock.source = "gettimeofday";
  run.jobs[0].clock.resolution_ns = 1000;
  EXPECT_THAT(ids(run), IsEmpty());  // 80 us, percentiles off: the mean stands in
  run.jobs[0].clock.resolution_ns = 80'001;
  EXPECT_THAT(ids(run), ElementsAre("clock.coarse"));
  run.jobs[0].dirs[0].clat = {};
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].dirs[0].lat.moments_ns.add(70'000);
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("median lat is 70000 ns"));
}

TEST(ResolutionFinding, UsesLatWhenAQueueHasFiosStamps) {
  auto run = sound_run();
  run.disks.clear();
  run.jobs = {by_gettimeofday()};
  run.jobs[0].clock.resolution_ns = 1.5;  // the clock is fine, the I/O was over when it was stamped
  run.jobs[0].stamps.placement = "fio";
  run.jobs[0].has_slat = true;
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].dirs[0].lat.moments_ns.add(900);
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].has_slat = false;
  EXPECT_THAT(ids(run), ElementsAre("clock.coarse"));
}

TEST(OwnCostFinding, IsRaisedAboveATwentiethOfTheMedianLatency) {
  auto run = sound_run();
  for (auto& dir : run.jobs[0].dirs) dir.runtime_ns *= 1000;  // a slow device behind its queue: turns are longer still
  run.jobs[0].own_cost = result::OwnCost{5, 4000};            // of 80 us
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].own_cost->loop_ns_per_io = 4001;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "cost.large");
  EXPECT_EQ(found[0].severity, Severity::note);
  EXPECT_THAT(found[0].evidence, HasSubstr("4001 ns"));
  EXPECT_THAT(found[0].evidence, HasSubstr("80000 ns"));
  EXPECT_THAT(found[0].remedy, HasSubstr("gtod_reduce"));
  drive_by("null", run.jobs[0]);
  run.jobs[0].options.clear();
  run.disks.clear();
  EXPECT_THAT(run_findings(run)[0].remedy, HasSubstr("no device's"));
}

// In a deep queue every latency is long, however little of it is the device's: the time of a turn tells.
TEST(OwnCostFinding, IsComparedWithTheTimePerIoInADeepQueue) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  double ios = 0;
  for (const auto& dir : job.dirs) ios += static_cast<double>(dir.ios);
  for (auto& dir : job.dirs) dir.runtime_ns = static_cast<std::uint64_t>(ios * 1000);
  job.own_cost = result::OwnCost{5, 50};
  EXPECT_THAT(ids(run), Not(::testing::Contains("cost.large")));
  job.own_cost->loop_ns_per_io = 51;
  ASSERT_THAT(ids(run), ::testing::Contains("cost.large"));
  for (const auto& f : run_findings(run))
    if (f.id == "cost.large") {
      EXPECT_THAT(f.evidence, HasSubstr("one every 1000 ns"));
    }
}

TEST(OwnCostFinding, IsNotRaisedWhenUnknown) {
  auto run = sound_run();
  run.jobs[0].own_cost.reset();
  EXPECT_THAT(ids(run), IsEmpty());
}

}  // namespace
}  // namespace fathom::audit
