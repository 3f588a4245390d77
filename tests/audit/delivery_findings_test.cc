// Asked against delivered: raised by its cause, silent just inside its threshold, silent below a thousand I/Os.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "audit/run_findings.h"
#include "sound_run.h"

namespace fathom::audit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DeliveryFindings, BlockSizeSharesOffByMoreThanTwoPointsAreRaised) {
  auto run = sound_run();
  auto& delivery = run.jobs[0].delivery;
  delivery.sizes[0] = {{4096, 4096, 50, 52000}, {65536, 65536, 50, 48000}};
  EXPECT_THAT(ids(run), IsEmpty()) << "two points are allowed";
  delivery.sizes[0] = {{4096, 4096, 50, 52100}, {65536, 65536, 50, 47900}};
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "delivery.sizes");
  EXPECT_THAT(found[0].evidence, HasSubstr("52.1 % of 100000 I/Os; 50.0 % was requested"));
  delivery.sizes[0] = {{4096, 4096, 50, 900}, {65536, 65536, 50, 99}};
  EXPECT_THAT(ids(run), IsEmpty()) << "999 I/Os say nothing";
  delivery.other_ios[0] = 1;
  EXPECT_THAT(ids(run), ElementsAre("delivery.sizes"));
}

TEST(DeliveryFindings, AReadShareOffTheAskedMixIsRaised) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.delivery.asked_read_percent = 50;
  job.dirs[1] = job.dirs[0];
  job.dirs[0].ios = 509'000;
  job.dirs[1].ios = 491'000;
  EXPECT_THAT(ids(run), IsEmpty());
  job.dirs[0].ios = 511'000;
  job.dirs[1].ios = 489'000;
  EXPECT_THAT(ids(run), ElementsAre("delivery.mix"));
  job.dirs[0].ios = 530;  // chance: 1060 draws are 3 % off at two standard deviations
  job.dirs[1].ios = 530 - 32;
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(DeliveryFindings, ADepthBelowTheAskedIodepthIsRaised) {
  auto run = sound_run();
  auto& delivery = run.jobs[0].delivery;
  run.jobs[0].dirs[0].ios = 100'000;
  delivery.asked_depth = 32;
  delivery.mean_depth = 28.9;
  EXPECT_THAT(ids(run), IsEmpty());
  delivery.mean_depth = 28.7;
  delivery.depth_samples = 200;
  delivery.full_samples = 100;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "delivery.depth");
  EXPECT_THAT(found[0].evidence,
              HasSubstr("28.7 I/Os were in flight on average; 32 were requested; the queue was full in 50 %"));
  delivery.depth_samples = delivery.full_samples = 0;
  EXPECT_EQ(run_findings(run).at(0).evidence, "28.7 I/Os were in flight on average; 32 were requested")
      << "nobody looked";
  delivery.depth_held_down = true;
  EXPECT_THAT(ids(run), IsEmpty()) << "the job itself keeps it down";
  delivery.depth_held_down = false;
  delivery.asked_depth = 64;
  run.jobs[0].dirs[0].ios = 1100;
  EXPECT_THAT(ids(run), IsEmpty()) << "filling and draining 64 are much of 1100";
}

TEST(DeliveryFindings, AQueueThatIsNearlyEmptyAtTheDiskIsRaised) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.dirs[0].runtime_ms = 2000;
  job.delivery.asked_depth = 32, job.delivery.mean_depth = 31.9;
  run.disks[0].in_queue_ms = 16'000;
  EXPECT_THAT(ids(run), IsEmpty()) << "eight at the disk: the program takes the larger part of the time";
  run.disks[0].in_queue_ms = 1'600;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "delivery.depth");
  EXPECT_THAT(found[0].evidence, HasSubstr("31.9 I/Os were in flight on average; vda had 0.8 of them"));
  run.disks[0].name = "zram0";
  EXPECT_THAT(run_findings(run)[0].remedy, HasSubstr("use numjobs="));
  run.disks[0].name = "vda";
  run.disks[0].in_queue_ms = 0;
  EXPECT_THAT(ids(run), IsEmpty()) << "its counters are off";
  run.disks[0].in_queue_ms = 1'600;
  job.options = {{"rw", "randread"}};
  EXPECT_THAT(ids(run), ElementsAre("run.page_cache")) << "whose queue is none of the job's";
}

TEST(DeliveryFindings, IodepthOfASynchronousEngineIsRaised) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.delivery.synchronous = true;
  job.delivery.asked_depth = 4;
  job.dirs[0].ios = 10;  // of any length
  EXPECT_THAT(ids(run), ElementsAre("run.few_ios", "delivery.synchronous"));
}

TEST(DeliveryFindings, ATargetForLatenciesThatWasNotKeptIsRaised) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.latency_target = {.target_ns = 100'000, .window_ns = 1, .percentile = 99, .depth = 4};
  job.dirs[0].clat.histogram_ns.add(80'000, 9'900);
  job.dirs[0].clat.histogram_ns.add(200'000, 100);
  EXPECT_THAT(ids(run), IsEmpty());
  job.dirs[0].clat.histogram_ns.add(200'000, 100);
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "rate.latency_target");
  EXPECT_EQ(found[0].evidence, "read: 98.0 % of the I/Os took at most 100 us; latency_percentile= requests 99.0 %");
}

TEST(DeliveryFindings, AnEngineThatCountsBytesAndMovesNoneIsRaised) {
  auto run = sound_run();
  drive_by("falloc", run.jobs[0]);
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "run.no_medium");
  EXPECT_THAT(found[0].evidence, HasSubstr("ioengine=falloc moves no data"));
  drive_by("filestat", run.jobs[0]);
  run.jobs[0].dirs[0].bytes = 0;
  EXPECT_THAT(ids(run), IsEmpty()) << "it counts none";
}

TEST(DeliveryFindings, HipriWithoutPollQueuesIsRaised) {
  auto run = sound_run();
  auto& options = run.jobs[0].options;
  options.insert(options.end(), {{"direct", "1"}, {"hipri", ""}});
  EXPECT_THAT(ids(run), IsEmpty());
  run.host.devices[0].no_poll = true;
  EXPECT_THAT(ids(run), ElementsAre("delivery.not_polled"));
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("queue/io_poll of " + run.host.devices[0].disk + " is 0"));
  const auto disk = std::exchange(run.host.devices[0].disk, "zram0");
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("there is nothing to poll"));
  run.host.devices[0].disk = disk;
  options.push_back({"hipri_percentage", "0"});
  EXPECT_THAT(ids(run), IsEmpty());
  options.back() = {"direct", "0"};
  run.host.devices[0].no_poll = false;
  EXPECT_THAT(ids(run), Contains("delivery.not_polled")) << "the kernel polls only for direct I/O";
  run.jobs[0].dirs = {};
  EXPECT_THAT(ids(run), IsEmpty()) << "a polled ring refuses such I/Os";
}

// A sum has no engine and no options of its own: its members are looked at, clones of a section once.
TEST(DeliveryFindings, MembersOfAGroupAreJudgedAlone) {
  auto run = sound_run();
  result::Job member = run.jobs[0];
  auto& sum = run.jobs[0];
  sum.members = 3;
  sum.delivery.synchronous = true;
  sum.delivery.unsynced_bytes = 1 << 20;
  run.group_members = {member, member, member};
  EXPECT_THAT(ids(run), IsEmpty());
  run.group_members[1].section = run.group_members[2].section = 1;
  for (std::size_t i = 1; i < 3; ++i) {
    run.group_members[i].delivery.synchronous = true;
    run.group_members[i].delivery.asked_depth = 4;
    drive_by("psync", run.group_members[i]);
  }
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].evidence, HasSubstr("ioengine=psync"));
  EXPECT_THAT(found[0].evidence, HasSubstr("and 1 more of its copies"));
}

TEST(DeliveryFindings, ASmallWindowOrCoverageIsRaised) {
  auto run = sound_run();
  auto& delivery = run.jobs[0].delivery;
  delivery.asked_size_bytes = delivery.asked_bytes = 100ull << 30;
  delivery.window_bytes = delivery.done_bytes = 1ull << 30;
  delivery.work_done = true;
  EXPECT_THAT(ids(run), ElementsAre("delivery.window"));
  delivery.window_bytes = delivery.asked_size_bytes;
  EXPECT_THAT(ids(run), ElementsAre("delivery.coverage"));
  delivery.work_done = false;
  EXPECT_THAT(ids(run), IsEmpty()) << "its runtime ended it";
  delivery.work_done = true;
  delivery.done_bytes = delivery.asked_bytes;
  EXPECT_THAT(ids(run), IsEmpty());
}

TEST(DeliveryFindings, UnsyncedWritesAndTmpfsAreRaised) {
  auto run = sound_run();
  run.jobs[0].delivery.unsynced_bytes = 1 << 20;
  EXPECT_THAT(ids(run), ElementsAre("delivery.unsynced"));
  run.jobs[0].options.push_back({"verify", "crc32c"});
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("synced before they were read back"));
  run.jobs[0].options.push_back({"fsync_on_close", "1"});
  EXPECT_THAT(run_findings(run)[0].evidence, HasSubstr("synced when the file was closed"));
  run.host.devices[0].file_system = "tmpfs";
  EXPECT_THAT(ids(run), IsEmpty()) << "there is no device to wait for";
  run.host.devices[0].file_system = "ext4";
  run.host.devices[0].mount_options = "rw,relatime,async";
  EXPECT_THAT(ids(run), ElementsAre("delivery.unsynced"));
  run.host.devices[0].mount_options = "rw,sync,relatime";
  EXPECT_THAT(ids(run), IsEmpty()) << "each write waits for the device";
  run = sound_run();
  run.jobs[0].delivery.direct_ignored = "`f` lies on tmpfs, which is memory";
  EXPECT_THAT(ids(run), ElementsAre("delivery.direct_ignored"));
}

TEST(DeliveryFindings, CopiedDirectWritesHaveAnAdviceOfTheirOwn) {
  auto run = sound_run();
  run.jobs[0].delivery.direct_ignored = "`f` is on btrfs";
  run.jobs[0].delivery.copied_bytes = kMiB;
  const auto found = run_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "delivery.direct_ignored");
  EXPECT_THAT(found[0].remedy, HasSubstr("chattr +C"));
}

TEST(DeliveryFindings, PagesThatAnotherProcessReadDoNotShowThatDirectIsIgnored) {
  auto run = sound_run();
  auto& job = run.jobs[0];
  job.dirs[0].moved_bytes = 100 * kMiB;
  job.delivery.direct_ignored = "64 MiB of `f` came into the page cache while the job ran";
  job.delivery.cached_bytes = 64 * kMiB;
  auto& count = run.audit.emplace().counts.emplace_back();
  count.source = "block", count.subject = "vda", count.name = "read_sectors";
  count.value = 100 * kMiB;
  EXPECT_THAT(ids(run), ElementsAre("delivery.direct_ignored"));
  count.value = 164 * kMiB;
  EXPECT_THAT(ids(run), IsEmpty());
  job.delivery.pre_read_bytes = 64 * kMiB;
  EXPECT_THAT(ids(run), ElementsAre("delivery.direct_ignored")) << "the run read these";
  job.delivery.pre_read_bytes = 0;
  job.process_io = {.readable = true, .read_bytes = 164 * kMiB};
  EXPECT_THAT(ids(run), ElementsAre("delivery.direct_ignored")) << "the job did";
}

}  // namespace
}  // namespace fathom::audit
