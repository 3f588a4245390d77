// What happens after a failed I/O, and whom a job takes along when it ends.
#include <gtest/gtest.h>

#include <cerrno>

#include "loops/flow.h"

namespace fathom::loops {
namespace {

constexpr const char* kFailing = "[t]\nioengine=sim\nsim_fail_every=10\nsize=400k\nbs=4k\nrw=read\n";

// effect: continue_on_error error_dump=1
TEST(EndsFlow, ContinueOnErrorContinuesAfterFailedIos) {
  for (const std::string depth : {"iodepth=1\n", "iodepth=8\n"}) {
    const auto run = run_text(kFailing + depth + "continue_on_error=read\n");
    const auto& job = run.jobs.at(0);
    EXPECT_EQ(job.dirs[0].ios, 90u);
    EXPECT_EQ(job.dirs[0].error_ios, 10u);
    EXPECT_EQ(job.dirs[0].bytes, 90u * 4096);
    EXPECT_EQ(job.error, 0);
    EXPECT_EQ(job.io_errors, 10u);
    EXPECT_EQ(job.first_io_error, EIO);
    EXPECT_TRUE(job.delivery.work_done);
    EXPECT_EQ(job.errors.size(), 10u) << "kept";
    EXPECT_TRUE(run.errors.empty()) << "and not said";
    const auto dumped = run_text(kFailing + depth + "continue_on_error=read\nerror_dump=1\n");
    ASSERT_EQ(dumped.errors.size(), 10u);
    EXPECT_EQ(*dumped.errors[0].length_bytes, 4096u);
    EXPECT_TRUE(dumped.errors[0].went_on);
  }
}

// effect: continue_on_error=write ignore_error
TEST(EndsFlow, ErrorsOfOtherDirectionsOrNumbersStayFatal) {
  for (const std::string lines : {"continue_on_error=write\n", "ignore_error=ENOSPC\n", "continue_on_error=verify\n"}) {
    const auto run = run_text(kFailing + lines);
    EXPECT_EQ(run.jobs.at(0).dirs[0].ios, 9u) << lines;
    EXPECT_EQ(run.jobs[0].error, EIO) << lines;
    EXPECT_EQ(run.jobs[0].io_errors, 1u) << lines;
    EXPECT_EQ(run.errors.size(), 1u) << lines;
  }
  EXPECT_EQ(run_text(std::string(kFailing) + "ignore_error=EIO\n").jobs.at(0).dirs[0].ios, 90u);
}

constexpr const char* kThree =
    "[global]\nioengine=null\nsize=1g\ntime_based\n"
    "[first]\nruntime=100s\n"
    "[second]\nnew_group\nruntime=100ms\nexitall\n";

// effect: exitall exit_what
TEST(EndsFlow, ExitallEndsTheJobsThatExitWhatNames) {
  const auto all = run_text(std::string(kThree) + "exit_what=all\n[third]\nstonewall\nruntime=100s\n");
  ASSERT_EQ(all.jobs.size(), 3u);
  EXPECT_LT(all.jobs[0].job_runtime_ms, 60'000u) << "of another group";
  EXPECT_EQ(all.jobs[2].dirs[0].ios, 0u) << "it had yet to start";
  const auto started = run_text(std::string(kThree) + "exit_what=stonewall\n[third]\nstonewall\nruntime=100ms\n");
  EXPECT_LT(started.jobs.at(0).job_runtime_ms, 60'000u);
  EXPECT_GE(started.jobs.at(2).job_runtime_ms, 90u) << "what had yet to start runs";
}

TEST(EndsFlow, ExitWhatGroupLeavesOtherGroupsRunning) {
  const auto run = run_text(
      "[global]\nioengine=null\nsize=1g\ntime_based\n[other]\nruntime=300ms\n"
      "[a]\nnew_group\nruntime=50ms\nexitall\nexit_what=group\n[b]\nruntime=100s\n");
  ASSERT_EQ(run.jobs.size(), 3u);
  EXPECT_GE(run.jobs[0].job_runtime_ms, 290u);
  EXPECT_LT(run.jobs[2].job_runtime_ms, 60'000u);
}

// effect: exitall_on_error
TEST(EndsFlow, ExitallOnErrorEndsTheOtherJobs) {
  const std::string jobs =
      "[bad]\nioengine=sim\nsim_fail_every=5\nsize=1m\nexitall_on_error\n[good]\nioengine=null\nsize=1g\ntime_based\n";
  const auto run = run_text(jobs + "runtime=100s\n");
  EXPECT_EQ(run.jobs.at(0).error, EIO);
  EXPECT_LT(run.jobs.at(1).job_runtime_ms, 60'000u);
  EXPECT_FALSE(run.interrupted);
  const auto well = run_text(
      "[good]\nioengine=sim\nsize=1m\nexitall_on_error\n[other]\nioengine=null\nsize=1g\ntime_based\nruntime=300ms\n");
  EXPECT_GE(well.jobs.at(1).job_runtime_ms, 290u) << "none failed";
}

}  // namespace
}  // namespace fathom::loops
