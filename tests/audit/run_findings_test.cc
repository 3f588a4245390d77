// Each finding on made-up results: raised by its cause, silent without it, and silent just inside its threshold.
#include "audit/run_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

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

TEST(Runtime, UnderASecondIsTooShort) {
  auto run = sound_run();
  run.jobs[0].dirs[0].runtime_ns = kSecond;
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].dirs[0].runtime_ns = kSecond - 1;
  EXPECT_THAT(ids(run), ElementsAre("run.too_short"));
  run.jobs[0].dirs[1].runtime_ns = 3 * kSecond;  // the longest direction counts
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(PageCache, BufferedReadsOfADiskMayComeFromMemory) {
  auto run = sound_run();
  run.jobs[0].options = {{"rw", "read"}};
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "run.page_cache");
  EXPECT_EQ(found[0].job, "t");
  EXPECT_THAT(found[0].evidence, HasSubstr("reads may come from memory"));
  EXPECT_THAT(found[0].evidence, HasSubstr("ext4 on vda"));
}

TEST(PageCache, NotWithoutADiskOrReads) {
  auto run = sound_run();
  run.jobs[0].options.clear();
  run.host.devices[0].disk.clear();
  run.disks.clear();
  EXPECT_THAT(ids(run), IsEmpty());
  run = sound_run();
  run.jobs[0].options.clear();
  run.jobs[0].engine = "null";
  EXPECT_THAT(ids(run), IsEmpty());
  run = sound_run();
  run.jobs[0].options.clear();
  run.jobs[0].dirs[1] = run.jobs[0].dirs[0];
  run.jobs[0].dirs[0] = {};
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(PageCache, LooksOnlyAtTheJobsOwnTargets) {
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

TEST(Direct, TheJobsWordCountsBeforeTheGlobalAndTheLaterBeforeTheEarlier) {
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

TEST(BlockBytes, MoreThanTwoPercentIsAWarningWithBothNumbers) {
  auto run = sound_run();
  run.disks[0].read_sectors = 102 * kMiB / 512;
  EXPECT_THAT(ids(run), IsEmpty());
  run.disks[0].read_sectors = 103 * kMiB / 512;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "audit.block_bytes");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_THAT(found[0].evidence, HasSubstr(std::to_string(100 * kMiB)));
  EXPECT_THAT(found[0].evidence, HasSubstr(std::to_string(103 * kMiB)));
  EXPECT_THAT(found[0].evidence, HasSubstr("+3.0 %"));
}

TEST(BlockBytes, LessIsAWarningTooWithAnotherRemedy) {
  auto run = sound_run();
  run.disks[0].read_sectors = 0;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "audit.block_bytes");
  EXPECT_THAT(found[0].remedy, HasSubstr("did not reach the disk"));
}

TEST(BlockBytes, SumsJobsAndGroupsOnce) {
  auto run = sound_run();
  run.jobs.push_back(run.jobs[0]);
  run.jobs[1].members = 2;
  run.group_members = {run.jobs[0], run.jobs[0]};
  run.disks[0].read_sectors *= 2;
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(BlockBytes, UnifiedDirectionsAreComparedInSum) {
  auto run = sound_run();
  run.jobs[0].unified = true;
  run.disks[0].write_sectors = run.disks[0].read_sectors / 2;
  run.disks[0].read_sectors /= 2;
  EXPECT_THAT(ids(run), IsEmpty());
}

struct NotComparable {
  const char* name;
  void (*change)(result::Run&);
};
constexpr NotComparable kNotComparable[] = {
    {"two_disks", [](result::Run& r) { r.disks.push_back({}); }},
    {"no_disk", [](result::Run& r) { r.disks.clear(); }},
    {"a_target_elsewhere", [](result::Run& r) { r.host.devices.push_back({}); }},
    {"ramp",
     [](result::Run& r) {
       r.global_options = {{"ramp_time", "2s"}};
     }},
    {"io_error", [](result::Run& r) { r.jobs[0].error_count = 1, r.jobs[0].error = EIO; }},
    {"small", [](result::Run& r) { r.jobs[0].dirs[0].bytes = 4 * kMiB, r.disks[0].read_sectors = 8 * kMiB / 512; }},
};
class BlockBytesSilent : public ::testing::TestWithParam<NotComparable> {};

TEST_P(BlockBytesSilent, WhereNothingCanBeCompared) {
  auto run = sound_run();
  run.disks[0].read_sectors *= 3;
  ASSERT_THAT(ids(run), ElementsAre("audit.block_bytes"));
  GetParam().change(run);
  EXPECT_THAT(ids(run), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(All, BlockBytesSilent, ::testing::ValuesIn(kNotComparable),
                         [](const auto& i) { return i.param.name; });

TEST(BlockBytes, ABufferedNeighbourMakesItSilentAndADisklessOneDoesNot) {
  auto run = sound_run();
  run.disks[0].read_sectors *= 3;
  run.jobs.push_back(run.jobs[0]);
  run.jobs[1].engine = "null";
  run.jobs[1].options.clear();
  EXPECT_THAT(ids(run), ElementsAre("audit.block_bytes"));
  run.jobs[1].engine = "psync";
  EXPECT_THAT(ids(run), ElementsAre("run.page_cache"));
}

TEST(Stamps, AWidthOverATenthOfTheLatencyIsANote) {
  for (const bool reap : {false, true}) {
    auto run = sound_run();
    auto& width = reap ? run.jobs[0].stamps.reap : run.jobs[0].stamps.submit;
    width.mean_ns = 8000;
    EXPECT_THAT(ids(run), IsEmpty());
    width.mean_ns = 8001;
    EXPECT_THAT(ids(run), ElementsAre("stamps.width"));
  }
}

TEST(Rate, UnderNinetyFivePercentIsNotKept) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.rate.paced = true;
  job.rate.asked_iops[0] = 12800 / 0.95 - 1;  // 25600 in 2 s
  EXPECT_THAT(ids(run), IsEmpty());
  job.rate.asked_iops[0] = 12800 / 0.95 + 1;
  job.rate.late_ios = 9000;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "rate.not_kept");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_THAT(found[0].evidence, HasSubstr("12800.0 IOPS"));
  EXPECT_THAT(found[0].evidence, HasSubstr("9000 I/Os were issued late"));
}

TEST(Rate, BytesAreHeldAgainstBytes) {
  auto run = sound_run();
  run.jobs[0].rate.paced = true;
  run.jobs[0].rate.asked_bytes_per_s[0] = 50 * kMiB;
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].rate.asked_bytes_per_s[0] = 60 * kMiB;
  EXPECT_THAT(ids(run), ElementsAre("rate.not_kept"));
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("50.0 MiB/s of 60.0"));
}

TEST(Rate, AKeptRateWithManyLateIosIsANote) {
  auto run = sound_run();
  run.jobs[0].rate.paced = true;
  run.jobs[0].rate.asked_iops[0] = 12800;
  run.jobs[0].rate.late_ios = 1280;
  EXPECT_THAT(ids(run), IsEmpty());
  run.jobs[0].rate.late_ios = 1281;
  EXPECT_THAT(ids(run), ElementsAre("rate.late"));
}

TEST(Rate, AHandfulOfIosSaysNothing) {
  auto run = sound_run();
  run.jobs[0].rate.paced = true;
  run.jobs[0].rate.asked_iops[0] = 9;
  run.jobs[0].dirs[0].ios = 2;
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(Interrupted, IsAWarningWithTheNumberOfJobs) {
  auto run = sound_run();
  run.jobs[0].interrupted = run.interrupted = true;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "run.interrupted");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_THAT(found[0].evidence, HasSubstr("1 of 1"));
}

TEST(RunFindings, ADoubtOfManyJobsIsSaidOnce) {
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
