// Flows on real engines whose numbers once went wrong, or could: syncs inside a batch, the time of end_fsync, refused
// submissions.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "base/attempts.h"
#include "base/sanitized.h"
#include "loops/flow.h"
#include "run/files/open_files.h"

namespace fathom::loops {
namespace {

class RealFlow : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/var/tmp/fathom-flow-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string job(const std::string& text) const { return "[t]\ndirectory=" + directory_ + "\n" + text; }
  std::string directory_;
};

// A sync that goes alone splits the batch it stands in: no completion may be recorded before its issue is stamped.
TEST_F(RealFlow, FioStampsSurviveSyncsInsideABatch) {
  for (const char* engine : {"libaio", "io_uring"}) {
    const auto run = run_text(
        job(std::string("ioengine=") + engine + "\nrw=write\nsize=256k\niodepth=8\niodepth_batch=8\nfsync=3\n"),
        {.fio_stamps = true});
    const auto& d = run.jobs.at(0).dirs[1];
    EXPECT_EQ(d.ios, 64u);
    EXPECT_LT(d.clat.moments_ns.max, 60'000'000'000u) << engine;
    EXPECT_LT(d.slat.moments_ns.max, 60'000'000'000u) << engine;
    // Each of the three is rounded to a nanosecond by itself.
    EXPECT_NEAR(static_cast<double>(d.lat.moments_ns.sum),
                static_cast<double>(d.slat.moments_ns.sum + d.clat.moments_ns.sum), 2.0 * 64)
        << engine;
  }
}

// Submitting and waiting are one call for io_uring, but not under fio's placement: its slat ends with the submission.
// The reads are large, because the system calls of some machines take longer than a small read of their disk.
TEST_F(RealFlow, TimedUnderFioStampsSlatExcludesTheWait) {
  if (base::kSanitized) GTEST_SKIP() << "there the submission, all of it checked code, takes longer than this disk";
  steady::attempts([&] {
    for (const char* depth : {"1", "4"}) {
      const auto run = run_text(
          job("ioengine=io_uring\nrw=randread\ndirect=1\nbs=512k\nsize=64m\niodepth=" + std::string(depth) + "\n"),
          {.fio_stamps = true});
      const auto& d = run.jobs.at(0).dirs[0];
      EXPECT_EQ(d.ios, 128u);
      EXPECT_LT(d.slat.histogram_ns.percentile(50), d.clat.histogram_ns.percentile(50)) << depth;
    }
  });
}

// A trim is a plain call in its place in the queue and never comes out of the kernel's ring: a wait for completions
// must not count on it.
TEST_F(RealFlow, TrimsAmongQueuedIosComplete) {
  for (const char* engine : {"io_uring", "libaio"}) {
    for (const char* min : {"0", "1", "4"}) {
      const auto run = run_text(job(std::string("ioengine=") + engine +
                                    "\nrw=randtrimwrite\nsize=128k\niodepth=4\niodepth_batch=1\n"
                                    "iodepth_batch_complete_max=4\niodepth_batch_complete_min=" +
                                    min + "\n"));
      const auto& dirs = run.jobs.at(0).dirs;
      EXPECT_EQ(run.jobs.at(0).error, 0) << engine << " " << min;
      EXPECT_EQ(dirs[1].ios, 32u) << engine << " " << min;
      EXPECT_EQ(dirs[2].ios, 32u) << engine << " " << min;
    }
  }
}

TEST_F(RealFlow, EndFsyncIsPartOfTheRuntime) {
  auto jobs = parse_jobs("[t]\nioengine=null\nsize=4m\nrw=write\n");
  auto plan = std::move(run::plan_jobs(jobs)->at(0));
  auto open = run::files::open_targets(plan);
  base::system::SharedArray<run::records::WorkerRecord> record(1);
  workload::Stream stream(plan.job, open->targets, 0);
  auto buffers = workload::bytes::BufferPool::make(1, stream.largest_request(), 1);
  std::atomic<std::uint32_t> stop{0};
  run::loop::LoopContext context{
      .job = plan.job,
      .targets = open->targets,
      .source = &stream,
      .buffers = buffers->view(),
      .record = record[0],
      .stop = stop,
      .calibration = clock::sources::calibrate(clock::sources::Source::cpu),
      .at_end = [] { ::usleep(50'000); },
      .ready = [] { return true; },
  };
  ASSERT_TRUE(find_loop("null")(context).ok());
  EXPECT_GE(record[0].elapsed_ns, 50'000'000u);
  EXPECT_EQ(record[0].measured.done.ios[1].get(), 1024u);
}

TEST_F(RealFlow, CreateOnlyAppliesToItsJobAlone) {
  const auto run = run_text("[global]\ndirectory=" + directory_ + "\nsize=64k\nrw=read\n[a]\ncreate_only=1\n[b]\n");
  ASSERT_EQ(run.jobs.size(), 2u);
  EXPECT_EQ(run.jobs[0].dirs[0].ios, 0u);
  EXPECT_EQ(run.jobs[1].dirs[0].ios, 16u);
  EXPECT_EQ(std::filesystem::file_size(directory_ + "/a.0.0"), 65536u);
}

TEST_F(RealFlow, ACloneWithNothingToDoIsSkipped) {
  run_text(job("filename=f\nsize=64k\nrw=write\n"));
  const auto run = run_text(job("filename=f\nrw=read\nnumjobs=3\noffset_increment=32k\n"));
  ASSERT_EQ(run.jobs.size(), 3u);
  EXPECT_EQ(run.jobs[0].dirs[0].ios, 16u);
  EXPECT_EQ(run.jobs[1].dirs[0].ios, 8u);
  EXPECT_EQ(run.jobs[2].dirs[0].ios, 0u);
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].id, "run.empty_window");
}

TEST_F(RealFlow, FortyStagesLeakNoDescriptors) {
  std::string text = "[global]\nioengine=null\nsize=4k\nstonewall\n";
  for (int i = 0; i < 40; ++i) text += "[j" + std::to_string(i) + "]\n";
  const int before = static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  const auto run = run_text(text);
  const int after = static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  EXPECT_EQ(run.jobs.size(), 40u);
  EXPECT_EQ(run.jobs[39].dirs[0].ios, 1u);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace fathom::loops
