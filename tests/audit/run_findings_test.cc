// Each finding on made-up results: raised by its cause, silent without it, and silent just inside its threshold.
#include "audit/run_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/job_view.h"
#include "sound_run.h"

namespace fathom::audit {
namespace {

using result::Severity;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RunFindings, ASoundRunRaisesNone) { EXPECT_THAT(ids(sound_run()), IsEmpty()); }
TEST(RunFindings, AnEmptyRunRaisesNone) { EXPECT_THAT(ids(result::Run{}), IsEmpty()); }

TEST(BusyFinding, IsRaisedWhereTheMachineDidNotBecomeIdle) {
  auto run = sound_run();
  run.settle = {.asked = true, .settled = true, .waited_s = 2};
  EXPECT_THAT(ids(run), IsEmpty());
  run.settle = {.asked = true, .settled = false, .waited_s = 60, .background_cpu_percent = 31};
  EXPECT_THAT(ids(run), ElementsAre("machine.busy"));
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("60 s; 31.0 % of CPU time"));
}

TEST(RuntimeFinding, IsRaisedUnderOneSecond) {
  auto run = sound_run();
  run.jobs[0].dirs[0].runtime_ns = kSecond;
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].dirs[0].runtime_ns = kSecond - 1;
  EXPECT_THAT(ids(run), ElementsAre("run.too_short"));
  run.jobs[0].dirs[0].runtime_ns = 0;
  EXPECT_THAT(ids(run), IsEmpty()) << "no time was measured (cpuio)";
  run.jobs[0].dirs[1].runtime_ns = 3 * kSecond;  // the longest direction counts
  EXPECT_THAT(ids(run), IsEmpty());
}

// One job of large blocks, and one of small blocks whose bytes are few among all.
TEST(UnreadFinding, OfAJobWhoseBytesAreFewIsRaisedByItsOwnAccount) {
  auto run = sound_run();
  run.jobs[0].dirs[0].moved_bytes = 1000 * kMiB;
  auto small = run.jobs[0];
  small.name = "small", small.section = 1, small.group_id = 1;
  small.dirs[0].moved_bytes = 10 * kMiB;
  small.process_io = {.readable = true, .read_bytes = 9 * kMiB};
  run.jobs.push_back(small);
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[1].process_io.read_bytes = kMiB;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "audit.job_unread");
  EXPECT_EQ(found[0].severity, result::Severity::error) << "direct I/O: holes, or reserved blocks";
  run.jobs[1].options = {{"rw", "randread"}};
  EXPECT_THAT(ids(run), ElementsAre("run.page_cache", "audit.job_unread"));
  EXPECT_EQ(run_findings(run).at(1).severity, result::Severity::warning);
  run.host.devices[0].file_system = "btrfs";
  EXPECT_THAT(ids(run), ElementsAre("run.page_cache")) << "it may store fewer bytes";
}

TEST(SteadyFinding, IsRaisedWhereTheJobDidNotBecomeSteady) {
  auto run = sound_run();
  auto& steady = run.jobs[0].steady_state.emplace();
  steady.attained = true;
  EXPECT_THAT(ids(run), IsEmpty());
  steady.attained = false, steady.slope = true, steady.percent = true, steady.limit = 0.3, steady.value = 16.9;
  steady.iops = {100, 200};
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "run.not_steady");
  EXPECT_THAT(found[0].evidence, HasSubstr("iops slope was not measured")) << "its window was never full";
  steady.slope_value = 50;
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("iops slope was 16.9 %, and the limit is 0.3 %"));
}

TEST(VerifyWithheldFinding, IsRaisedWithTheShareOfWithheldBytes) {
  auto run = sound_run();
  run.jobs[0].verified = {.exact = 3 * 4096, .some_version = 4096, .overwritten = 4096};
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].verified.withheld = 4 * 4096;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "verify.withheld");
  EXPECT_THAT(found[0].evidence, HasSubstr("16384 bytes, 50 % of the final contents"));
}

TEST(PageCacheFinding, IsRaisedForBufferedReadsOfADisk) {
  auto run = sound_run();
  run.jobs[0].options = {{"rw", "read"}};
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "run.page_cache");
  EXPECT_EQ(found[0].job, "t");
  EXPECT_THAT(found[0].evidence, HasSubstr("reads may come from memory"));
  EXPECT_THAT(found[0].evidence, HasSubstr("ext4 on vda"));
}

// Half of a limit: dirty pages and the cache of other files count there too.
TEST(MemoryLimitFinding, IsRaisedWhereTheMachineWouldHoldWhatTheGroupDoesNot) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.options = {{"rw", "read"}};
  job.dirs[0].moved_bytes = job.delivery.window_bytes = 100 * kMiB;
  const auto raised = [&] {
    const auto all = ids(run);
    return std::count(all.begin(), all.end(), "memory.max") == 1;
  };
  EXPECT_FALSE(raised()) << "no limit";
  run.host.memory_limit_bytes = 64 * kMiB;
  EXPECT_TRUE(raised());
  run.host.memory_limit_bytes = 256 * kMiB;
  EXPECT_FALSE(raised());
  run.host.memory_limit_bytes = 64 * kMiB;
  run.host.memory_bytes = 80 * kMiB;
  EXPECT_FALSE(raised()) << "the machine would not hold it either";
  run.host.memory_bytes = 8192 * kMiB;
  job.options.push_back({"direct", "1"});
  EXPECT_FALSE(raised());
}

TEST(PageCacheFinding, IsNotRaisedWithoutADiskOrReads) {
  auto run = sound_run();
  run.jobs[0].options.clear();
  run.host.devices[0].disk.clear();
  run.disks.clear();
  EXPECT_THAT(ids(run), IsEmpty());
  run = sound_run();
  run.jobs[0].options.clear();
  drive_by("null", run.jobs[0]);
  EXPECT_THAT(ids(run), IsEmpty());
  run = sound_run();
  run.jobs[0].options.clear();
  run.jobs[0].dirs[1] = run.jobs[0].dirs[0];
  run.jobs[0].dirs[0] = {};
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(PageCacheFinding, LooksOnlyAtTheJobsOwnTargets) {
  auto run = sound_run();
  result::DeviceFacts shm;
  shm.target = "/dev/shm/x";
  shm.file_system = "tmpfs";
  run.host.devices.push_back(shm);
  run.jobs[0].options = {{"filename", "/dev/shm/x"}};
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].options = {{"filename", "/dev/shm/x:/data/t.0.0"}};
  EXPECT_THAT(ids(run), ElementsAre("run.page_cache"));
}

TEST(IsDirect, TheJobsOptionPrecedesTheGlobalAndTheLastPrecedesEarlierOnes) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.options = {};
  EXPECT_FALSE(is_direct(run, job));
  run.global_options = {{"direct", "1"}};
  EXPECT_TRUE(is_direct(run, job));
  job.options = {{"buffered", "1"}};
  EXPECT_FALSE(is_direct(run, job));
  job.options = {{"buffered", "1"}, {"direct", ""}};
  EXPECT_TRUE(is_direct(run, job));
  job.options = {{"buffered", "0"}};
  EXPECT_TRUE(is_direct(run, job));
}

TEST(StampWidthFinding, IsRaisedForAWidthAboveATenthOfTheLatency) {
  for (const bool reap : {false, true}) {
    auto run = sound_run();
    auto& width = reap ? run.jobs[0].stamps.reap : run.jobs[0].stamps.submit;
    width.mean_ns = 8000;
    EXPECT_THAT(ids(run), IsEmpty());
    width.mean_ns = 8001;
    EXPECT_THAT(ids(run), ElementsAre("stamps.width"));
  }
}

TEST(RateFindings, ARateBelow98PercentIsNotKept) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.rate.paced = true;
  job.rate.asked_iops[0] = 12800 / 0.98 - 1;  // 25600 in 2 s
  EXPECT_THAT(ids(run), IsEmpty());
  job.rate.asked_iops[0] = 12800 / 0.98 + 1;
  job.rate.late_ios = 9000;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "rate.not_kept");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_THAT(found[0].evidence, HasSubstr("12800.0 IOPS"));
  EXPECT_THAT(found[0].evidence, HasSubstr("9000 I/Os were issued late"));
}

TEST(RunFindings, IosThatFailedWhileTheJobContinuedAreAnError) {
  auto run = sound_run();
  run.jobs[0].error_count = 1600;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "run.io_errors");
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_THAT(found[0].evidence, HasSubstr("1600 I/Os failed or did not verify"));
  run.jobs[0].error = 5;
  EXPECT_THAT(ids(run), IsEmpty()) << "it ended the job: the report has the I/O itself";
}

TEST(RateFindings, APausingJobIsToldThatItsPausesCount) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.rate.paced = true;
  job.rate.asked_iops[0] = 2 * 12800;
  EXPECT_THAT(run_findings(run)[0].remedy, testing::Not(HasSubstr("thinktime")));
  job.options.push_back({"thinktime", "50"});
  EXPECT_THAT(run_findings(run)[0].remedy, HasSubstr("omit thinktime="));
}

TEST(RateFindings, FewIosMayLackFivePercent) {
  auto run = sound_run();
  run.jobs[0].rate.paced = true;
  run.jobs[0].rate.asked_iops[0] = 100;  // 200 due in 2 s
  run.jobs[0].dirs[0].ios = 191;
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].dirs[0].ios = 189;
  EXPECT_THAT(ids(run), ElementsAre("rate.not_kept"));
}

TEST(RateFindings, AByteRateIsComparedInBytes) {
  auto run = sound_run();
  run.jobs[0].rate.paced = true;
  run.jobs[0].rate.asked_bytes_per_s[0] = 50 * kMiB;
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].rate.asked_bytes_per_s[0] = 60 * kMiB;
  EXPECT_THAT(ids(run), ElementsAre("rate.not_kept"));
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("50.0 MiB/s of 60.0"));
}

TEST(RateFindings, AKeptRateWithManyLateIosIsANote) {
  auto run = sound_run();
  run.jobs[0].rate.paced = true;
  run.jobs[0].rate.asked_iops[0] = 12800;
  run.jobs[0].rate.late_ios = 1280;
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].rate.late_ios = 1281;
  EXPECT_THAT(ids(run), ElementsAre("rate.late"));
}

TEST(RateFindings, AHandfulOfIosIsNotJudged) {
  auto run = sound_run();
  run.jobs[0].rate.paced = true;
  run.jobs[0].rate.asked_iops[0] = 2;
  run.jobs[0].dirs[0].ios = 2;
  EXPECT_THAT(ids(run), ElementsAre("run.few_ios")) << "two of four";
  run.jobs[0].rate.asked_iops[0] = 9;
  EXPECT_THAT(ids(run), ElementsAre("run.few_ios", "rate.not_kept"));
  EXPECT_THAT(run_findings(run)[1].evidence, HasSubstr("read: 2 I/Os ended and 18 were due"));
  run.jobs[0].dirs[0].ios = 12;
  run.jobs[0].options.push_back({"rate_process", "poisson"});
  EXPECT_THAT(ids(run), ElementsAre("run.few_ios")) << "by chance";
}

// The sum of a group asks for the rates of all its members, in directions and at times that only some of them have.
TEST(RateFindings, MembersOfAGroupAreJudgedByTheirOwnRates) {
  auto run = sound_run();
  result::Job member = run.jobs[0];
  member.rate.paced = true;
  member.rate.asked_iops[0] = member.rate.asked_iops[1] = 12'800;
  auto writes = member;
  std::swap(writes.dirs[0], writes.dirs[1]);
  run.group_members = {member, writes};
  auto& sum = run.jobs[0];
  sum.members = 2;
  sum.rate = member.rate;
  sum.rate.asked_iops[0] = sum.rate.asked_iops[1] = 25'600;
  sum.dirs[1] = sum.dirs[0];
  EXPECT_THAT(ids(run), IsEmpty());
  run.group_members[1].dirs[1].ios /= 2;
  EXPECT_THAT(ids(run), ElementsAre("rate.not_kept"));
}

TEST(UnexpectedCompletionFinding, IsAnError) {
  auto run = sound_run();
  run.jobs[0].queue.emplace();
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].queue->unexpected = 1;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "nvme.strange_completions");
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_THAT(found[0].evidence, HasSubstr("1 completion of the device"));
}

TEST(InterruptedFinding, IsAWarningWithTheNumberOfJobs) {
  auto run = sound_run();
  run.jobs[0].interrupted = run.interrupted = true;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "run.interrupted");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_THAT(found[0].evidence, HasSubstr("1 of 1"));
}

TEST(RunFindings, OneFindingOfManyJobsIsRaisedOnce) {
  auto run = sound_run();
  run.disks.clear();
  run.jobs[0].dirs[0].runtime_ns = 1;
  run.jobs.resize(8, run.jobs[0]);
  EXPECT_EQ(ids(run).size(), 8u);
  run.jobs.resize(1000, run.jobs[0]);
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].job, "");
  EXPECT_THAT(found[0].evidence, HasSubstr("t: measured for"));
  EXPECT_THAT(found[0].evidence, HasSubstr("and 999 more"));
}

}  // namespace
}  // namespace fathom::audit
