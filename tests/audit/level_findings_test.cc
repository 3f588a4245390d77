// Runs whose numbers are of two levels, of two modes, or of too few I/Os; and runs that are of one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "audit/run_findings.h"
#include "levels.h"

namespace fathom::audit {
namespace {

using result::Severity;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ChangedFinding, SaysWhenAndFromWhatToWhat) {
  const auto found = run_findings(run_with_series(levels({{5000, 20}, {1500, 10}})));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "run.changed");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(found[0].evidence, "read rate changed from 10.0k IOPS to 3.00k IOPS at 10.0 s");
  EXPECT_NEAR(found[0].effect->value, 1.0 / 3, 1e-9) << "what is not of the longer level";
}

TEST(ChangedFinding, OfSeveralChangesTheLargestIsShown) {
  const auto found = run_findings(run_with_series(levels({{5000, 10}, {1000, 10}, {4000, 10}})));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].evidence, "read rate changed from 10.0k IOPS to 2.00k IOPS at 5.0 s (and 1 more time)");
}

TEST(ChangedFinding, AWarmUpHasItsRemedy) {
  const auto found = run_findings(run_with_series(levels({{1000, 2}, {5000, 30}})));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].evidence, "read rate was 2.00k IOPS in the first 1.0 s and 10.0k IOPS afterwards");
  EXPECT_THAT(found[0].remedy, HasSubstr("ramp_time=1s"));
}

TEST(ChangedFinding, OfAPacedJobTheLatencyIsLookedAt) {
  auto run = run_with_series(levels({{500, 40}}));
  run.jobs[0].rate.paced = true;
  run.jobs[0].dirs[0].series_latency = "intended_lat";
  for (std::size_t i = 0; i < 40; ++i) run.jobs[0].dirs[0].series[i].lat_ns_p50 = i < 20 ? 80'000 : 900'000;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].evidence, "read intended_lat p50 changed from 80.0 us to 900 us at 10.0 s");
}

TEST(ChangedFinding, AFlatRunHasNone) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<std::uint64_t> ios;
    ios.reserve(60);
    for (int i = 0; i < 60; ++i) ios.push_back(static_cast<std::uint64_t>(5000 * std::exp(0.1 * normal(random))));
    EXPECT_THAT(ids(run_with_series(ios)), IsEmpty()) << "seed " << seed;
  }
}

TEST(ChangedFinding, AJobThatChangesOnPurposeHasNone) {
  auto run = run_with_series(levels({{5000, 20}, {1500, 20}}));
  run.jobs[0].latency_target.target_ns = 1000;
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].latency_target.target_ns = 0;
  ASSERT_THAT(ids(run), ElementsAre("run.changed"));
  auto& replay = run.jobs[0].replay.emplace();
  replay.to_the_end = true;
  EXPECT_THAT(ids(run), IsEmpty()) << "the trace decides the rate";
}

TEST(ChangedFinding, APointThatIsCutShortIsLeftOut) {
  auto run = run_with_series(levels({{5000, 20}}));
  auto& last = run.jobs[0].dirs[0].series.back();
  last.ios = 1, last.interval_ms = 10;
  EXPECT_THAT(ids(run), IsEmpty());
}

// Written for 6 s, read back for 6 s: each direction has its own time.
TEST(ChangedFinding, ReadingBackIsNoChange) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.dirs[1] = job.dirs[0];
  series(job, levels({{0, 12}, {700, 1}, {5000, 11}}), 0);
  series(job, levels({{5000, 11}, {900, 1}, {0, 12}}), 1);
  EXPECT_THAT(ids(run), ElementsAre("run.changed", "run.changed")) << "of a job that does not read back";
  job.read_back_ns = 6 * kSecond;
  EXPECT_THAT(ids(run), IsEmpty());
  for (std::size_t i = 13; i < 24; ++i) job.dirs[0].series[i].ios = i < 18 ? 5000 : 1000;
  EXPECT_THAT(ids(run), ElementsAre("run.changed")) << "within reading back";
}

TEST(ApartFinding, OfAGroupTheJobsCount) {
  auto run = sound_run();
  auto& sum = run.jobs[0];
  run.group_members = {sum, sum};
  sum.members = 2;
  const auto at = [](result::Job& job, std::uint64_t begin_s, std::uint64_t end_s) {
    job.dirs[0].begin_ns = begin_s * kSecond, job.dirs[0].end_ns = end_s * kSecond;
  };
  at(sum, 0, 10), at(run.group_members[0], 0, 5), at(run.group_members[1], 4, 10);
  EXPECT_THAT(ids(run), IsEmpty());
  at(run.group_members[1], 8, 10);
  EXPECT_THAT(ids(run), ElementsAre("run.apart"));
}

TEST(ApartFinding, IsRaisedWhereNobodyRanForATenthOfTheTime) {
  auto run = sound_run();
  run.jobs.push_back(run.jobs[0]);
  const auto at = [&](std::size_t job, std::uint64_t begin_s, std::uint64_t end_s) {
    run.jobs[job].dirs[0].begin_ns = begin_s * kSecond, run.jobs[job].dirs[0].end_ns = end_s * kSecond;
  };
  at(0, 0, 5), at(1, 4, 10);
  EXPECT_THAT(ids(run), IsEmpty());
  at(1, 7, 10);
  const auto found = run_findings(run);
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(found[0].id, "run.apart");
  EXPECT_THAT(found[0].evidence, HasSubstr("for 2.0 s of the 10.0 s"));
  run.jobs.push_back(run.jobs[0]);
  auto& third = run.jobs[2].dirs[0];
  at(2, 4, 8), third.ios = 5'000, third.bytes = 20 * kMiB;
  EXPECT_THAT(ids(run), IsEmpty()) << "a third job ran in between";
  third.ios = 500, third.bytes = 2 * kMiB;
  EXPECT_THAT(ids(run), ElementsAre("run.apart")) << "one that hardly moved anything does not count";
  run.jobs.pop_back();
  run.jobs[1].group_id = 1;
  EXPECT_THAT(ids(run), IsEmpty()) << "each has its own line";
}

TEST(FewIosFinding, IsAWarningWhereNotEvenAMedianIsOne) {
  auto run = sound_run();
  auto& read = run.jobs[0].dirs[0];
  read.ios = 100;
  EXPECT_THAT(ids(run), IsEmpty());
  read.ios = 99;
  EXPECT_EQ(run_findings(run)[0].severity, Severity::note);
  EXPECT_EQ(run_findings(run)[0].evidence, "read: 99 I/Os; percentiles above 99 % are the largest latency");
  read.ios = 1;
  EXPECT_EQ(run_findings(run)[0].severity, Severity::warning);
  EXPECT_EQ(run_findings(run)[0].evidence, "read: 1 I/O; percentiles above 0 % are the largest latency");
}

TEST(TwoModesFinding, NamesBoth) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.bs_min[0] = job.bs_max[0] = 4096;
  for (int i = 0; i < 3000; ++i) job.dirs[0].clat.histogram_ns.add(i % 3 == 0 ? 2'000 : 100'000);
  const auto found = run_findings(run);
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(found[0].id, "run.two_modes");
  EXPECT_THAT(found[0].evidence, HasSubstr("read: 33 % of the latencies are about 2."));
  job.bs_max[0] = 65536;
  EXPECT_THAT(ids(run), IsEmpty()) << "each size has its own latency";
}

TEST(CpuWaitFinding, IsRaisedAboveATenthOfTheTime) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.job_runtime_ms = 2000;
  job.cpu_wait_percent = 10;
  EXPECT_THAT(ids(run), IsEmpty());
  job.cpu_wait_percent = 40;
  EXPECT_THAT(ids(run), ElementsAre("cpu.wait"));
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("for 40 % of its time"));
  run.findings.push_back({.id = "cpu.max", .severity = Severity::warning});
  run.findings[0].effect = result::Effect{result::EffectOn::time, 0.25};
  EXPECT_NEAR(run_findings(run)[0].effect->value, 0.15, 1e-9) << "the rest is the quota's";
  job.job_runtime_ms = 50;
  EXPECT_THAT(ids(run), IsEmpty()) << "too short to tell";
}

TEST(NoMediumFinding, FailsTheRun) {
  auto run = sound_run();
  run.jobs[0].queue.emplace().devices = {{.name = "soft:ideal", .keeps_data = false}};
  const auto found = run_findings(run);
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_THAT(found[0].evidence, HasSubstr("no device was measured: soft:ideal"));
  run.jobs[0].queue->devices[0] = {.name = "soft:", .keeps_data = true};
  EXPECT_EQ(run_findings(run).at(0).severity, Severity::note);
  run.jobs[0].queue->devices[0].name = "0000:00:04.0";
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(NoMediumFinding, TheNullEngineIsWarnedOfBesideJobsOnDevices) {
  auto run = sound_run();
  auto nothing = run.jobs[0];
  nothing.name = "n";
  drive_by("null", nothing);
  run.jobs = {nothing};
  EXPECT_THAT(ids(run), IsEmpty()) << "alone it measures the program";
  run.jobs.push_back(sound_run().jobs[0]);
  EXPECT_THAT(ids(run), ElementsAre("run.no_medium"));
  EXPECT_EQ(run_findings(run)[0].job, "n");
}

// A run with these bytes accounted for in another way.
result::Run explained(const char* term, double share) {
  auto run = sound_run();
  result::AuditWitness witness;
  witness.source = "process", witness.direction = "read", witness.verdict = result::Verdict::explained;
  witness.expected_bytes = 100.0 * kMiB;
  witness.explained.push_back({term, -share * witness.expected_bytes, ""});
  run.audit.emplace().witnesses = {witness};
  return run;
}

TEST(NoDeviceFinding, FailsFromHalfOfTheBytesOn) {
  for (const char* const term : {"holes", "unwritten extents"}) {
    EXPECT_THAT(ids(explained(term, 0.01)), IsEmpty());
    const auto part = run_findings(explained(term, 0.3)).at(0);
    EXPECT_EQ(part.severity, Severity::warning);
    EXPECT_THAT(part.evidence, ::testing::Not(HasSubstr("no device was measured"))) << "70 MiB are of one";
    const auto found = run_findings(explained(term, 0.6)).at(0);
    EXPECT_EQ(found.severity, Severity::error);
    EXPECT_THAT(found.evidence, HasSubstr("no device was measured"));
  }
}

TEST(NoDeviceFinding, ThePageCacheIsAWarningHoweverMuchItAnswered) {
  EXPECT_THAT(ids(explained("page-cache hits", 0.05)), IsEmpty());
  const auto found = run_findings(explained("page-cache hits", 1));
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(found[0].id, "audit.page_cache");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(found[0].evidence, "100 MiB of 100 MiB read came from memory, not from the device");
}

}  // namespace
}  // namespace fathom::audit
