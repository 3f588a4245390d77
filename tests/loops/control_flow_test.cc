// Limits, searches, pauses and waits, on the sim engine and its clock where that can be: the answers are known.
#include <gtest/gtest.h>

#include <cerrno>

#include "base/attempts.h"
#include "base/time.h"
#include "loops/flow.h"

namespace fathom::loops {
namespace {

const result::Job& job(const result::Run& run) { return run.jobs.at(0); }

std::string sim(const std::string& latency, const std::string& lines) {
  return "[t]\nioengine=sim\nsim_latency=" + latency + "\nsize=1g\nbs=4k\nrw=randread\n" + lines;
}

// effect: max_latency
TEST(ControlFlow, MaxLatencyEndsTheJobWithAnError) {
  for (const std::string depth : {"1", "8"}) {
    const auto run = run_text(sim("two:100us:10ms:1%", "max_latency=5ms\nnumber_ios=100000\niodepth=" + depth + "\n"));
    EXPECT_EQ(job(run).error, ETIMEDOUT);
    ASSERT_EQ(run.errors.size(), 1u);
    EXPECT_NE(run.errors[0].message.find("latency of 10000000 nsec exceeds specified max (5000000 nsec): "),
              std::string::npos)
        << run.errors[0].message;
    EXPECT_LT(reads(run).ios, 2000u);
    EXPECT_EQ(reads(run).lat.moments_ns.max, 10 * kMs) << "the late one is measured";
  }
  const auto kept = run_text(sim("const:100us", "max_latency=100us\nnumber_ios=100\n"));
  EXPECT_EQ(job(kept).error, 0);
  EXPECT_EQ(reads(kept).ios, 100u);
  const auto writes = run_text(sim("const:100us", "max_latency=50us,1s\nrw=write\nnumber_ios=100\n"));
  EXPECT_EQ(job(writes).error, 0) << "the limit of writes is another";
}

// effect: latency_target latency_window latency_run
TEST(ControlFlow, LatencyTargetFindsTheHighestDepthThatMeetsIt) {
  const std::string target = "iodepth=8\nlatency_target=200us\nlatency_window=10ms\n";
  const auto run = run_text(sim("const:100us", target + "latency_run=0\n"));
  EXPECT_EQ(job(run).latency_target.depth, 8u);
  EXPECT_EQ(reads(run).runtime_ns, 10 * kMs) << "what was counted is one window";
  EXPECT_EQ(reads(run).ios, 800u);
  EXPECT_EQ(reads(run).moved_ios, 800u + 100 + 200 + 400 + 800) << "windows at depth 1, 2, 4 and 8";
  EXPECT_EQ(job(run).depth.level[3], 800u - 7) << "the queue fills once";
  const auto whole = run_text(sim("const:100us", target + "latency_run=1\nruntime=100ms\n"));
  EXPECT_EQ(reads(whole).runtime_ns, 100 * kMs);
  EXPECT_EQ(reads(whole).ios, 100u + 200 + 400 + 7 * 800);
}

// effect: latency_percentile
TEST(ControlFlow, AMissedLatencyTargetAtDepthOneEndsAStrictJob) {
  const std::string target = "latency_target=200us\nlatency_window=100ms\n";
  const auto strict = run_text(sim("const:300us", target + "iodepth=8\n"));
  EXPECT_EQ(job(strict).error, ETIMEDOUT) << "not even one at a time keeps it";
  EXPECT_EQ(reads(strict).ios, 1u);
  const auto loose =
      run_text(sim("two:100us:1ms:3%", target + "iodepth=8\nlatency_percentile=95\nlatency_run=1\nruntime=2s\n"));
  EXPECT_EQ(job(loose).error, 0);
  EXPECT_EQ(job(loose).latency_target.depth, 8u);
  const auto shallow =
      run_text(sim("two:100us:1ms:3%", target + "iodepth=8\nlatency_percentile=99\nlatency_run=1\nruntime=2s\n"));
  EXPECT_EQ(job(shallow).error, 0);
  EXPECT_EQ(job(shallow).latency_target.depth, 1u);
  EXPECT_EQ(job(shallow).depth.level[3], 0u);
}

// effect: rate_process=poisson
TEST(ControlFlow, PoissonKeepsTheRateWhateverTheLatency) {
  const std::string rate = "rate_iops=1000\nrate_process=poisson\nruntime=10s\ntime_based\n";
  const auto fast = run_text(sim("const:1us", rate));
  EXPECT_NEAR(static_cast<double>(reads(fast).ios), 10'000, 400);
  EXPECT_EQ(reads(fast).intended_lat.moments_ns.n, reads(fast).ios);
  const auto slow = run_text(sim("const:900us", rate));
  EXPECT_NEAR(static_cast<double>(reads(slow).ios), 10'000, 400) << "the rate does not wait";
  // Of M/D/1 at 0.9 of what it can do the mean wait is rho / (2 (1 - rho)) services.
  const double wait_ns = 0.9 / 0.2 * 900'000;
  EXPECT_NEAR(reads(slow).start_delay.moments_ns.mean(), wait_ns, 0.6 * wait_ns);
  const auto linear = run_text(sim("const:900us", "rate_iops=1000\nrate_process=linear\nruntime=10s\ntime_based\n"));
  EXPECT_LT(reads(linear).start_delay.moments_ns.mean(), 1000) << "evenly spaced, nobody waits";
}

// effect: thinktime_blocks_type
TEST(ControlFlow, ThinktimeBlocksTypeCountsIssuedOrCompletedIos) {
  const std::string think = "iodepth=4\nthinktime=1ms\nthinktime_blocks=4\nruntime=12ms\n";
  const auto issue = run_text(sim("const:100us", think + "thinktime_blocks_type=issue\n"));
  EXPECT_EQ(reads(issue).ios, 44u) << "four, and a pause: 1.1 ms";
  const auto complete = run_text(sim("const:100us", think + "thinktime_blocks_type=complete\n"));
  EXPECT_EQ(reads(complete).ios, 44u + 3) << "as many are over, and three more were in flight at the end";
}

// fio 3.33 and 3.42 take 1.6 s with the null engine at any depth.
TEST(ControlFlow, WhatComesBackBeforeAPauseCountsTowardsTheNext) {
  for (const std::string depth : {"1", "2", "4", "5", "32", "64"}) {
    // Those that are owed when the last I/O is issued are not made.
    const double owed_ns = std::stod(depth) / 4 * 10.0 * kMs;
    const auto run = run_text(
        "[t]\nioengine=sim\nsim_latency=const:1us\nsize=2560k\nbs=4k\nrw=read\nthinktime=10ms\n"
        "thinktime_blocks=4\niodepth=" +
        depth + "\n");
    EXPECT_EQ(reads(run).ios, 640u);
    EXPECT_LE(static_cast<double>(reads(run).runtime_ns), 1601.0 * kMs) << "iodepth=" << depth;
    EXPECT_GE(static_cast<double>(reads(run).runtime_ns), 1590.0 * kMs - owed_ns) << "iodepth=" << depth;
    EXPECT_EQ(reads(run).lat.moments_ns.max, 1000) << "a pause is nobody's latency";
  }
}

// effect: thinktime_iotime
TEST(ControlFlow, ThinktimeIotimePausesAfterThatTimeOfIo) {
  const std::string think = "thinktime=1ms\nthinktime_iotime=2ms\nruntime=30ms\n";
  EXPECT_EQ(reads(run_text(sim("const:100us", think))).ios, 200u) << "blocks of 1 count only if they are written";
  EXPECT_EQ(reads(run_text(sim("const:100us", think + "thinktime_blocks=10\n"))).ios, 150u) << "whichever comes first";
}

// effect: rate_ignore_thinktime
TEST(ControlFlow, RateIgnoreThinktimeDoesNotMakeUpForPauses) {
  const std::string rate = "rate_iops=1000\nthinktime=10ms\nthinktime_blocks=10\nruntime=1s\ntime_based\n";
  EXPECT_NEAR(static_cast<double>(reads(run_text(sim("const:10us", rate))).ios), 990, 11) << "pauses are made up for";
  const auto run = run_text(sim("const:10us", rate + "rate_ignore_thinktime=1\n"));
  EXPECT_NEAR(static_cast<double>(reads(run).ios), 526, 12) << "ten in 10 ms, 10 ms of rest less one block";
}

// effect: thinkcycles
TEST_IN_ATTEMPTS(ControlFlow, ThinkcyclesAreNotPartOfTheLatency) {
  const std::string null = "[t]\nioengine=null\nsize=1g\nnumber_ios=20\n";
  const auto run = run_text(null + "thinkcycles=20000000\n");
  EXPECT_EQ(reads(run).ios, 20u);
  EXPECT_GT(job(run).job_runtime_ms, 30u);
  EXPECT_LT(reads(run).lat.moments_ns.min(), kMs);
  EXPECT_LT(job(run_text(null)).job_runtime_ms, 30u);
}

// All go to one block: one after the other.
// effect: serialize_overlap
TEST(ControlFlow, SerializeOverlapKeepsOverlappingWritesApart) {
  const std::string one = "[t]\nioengine=sim\nsize=4k\nbs=4k\nrw=write\ntime_based\nruntime=10ms\niodepth=8\n";
  EXPECT_EQ(run_text(one).jobs.at(0).dirs[1].ios, 800u);
  EXPECT_EQ(run_text(one + "serialize_overlap=1\n").jobs.at(0).dirs[1].ios, 100u);
  const std::string apart = "[t]\nioengine=sim\nsize=4m\nbs=4k\nrw=write\niodepth=8\nserialize_overlap=1\n";
  EXPECT_EQ(run_text(apart).jobs.at(0).dirs[1].runtime_ns, 12'800'000u) << "1024 at 8 a time";
  const std::string reads_only = "[t]\nioengine=sim\nsize=4k\nrw=read\ntime_based\nruntime=10ms\niodepth=8\n";
  EXPECT_EQ(run_text(reads_only + "serialize_overlap=1\n").jobs.at(0).dirs[0].ios, 800u) << "which disturb nobody";
}

// effect: ramp_size
TEST(ControlFlow, RampSizeEndsTheRampAfterThoseBytes) {
  const auto run = run_text("[t]\nioengine=sim\nsize=400k\nbs=4k\nrw=read\nramp_size=40k\n");
  EXPECT_EQ(reads(run).ios, 90u);
  EXPECT_EQ(reads(run).moved_ios, 100u);
  EXPECT_EQ(reads(run).runtime_ns, 9 * kMs);
  const auto deep = run_text("[t]\nioengine=sim\nsize=400k\nbs=4k\nrw=read\nramp_size=40k\niodepth=8\n");
  EXPECT_EQ(reads(deep).moved_ios, 100u);
  EXPECT_LE(reads(deep).ios, 90u);
  EXPECT_GE(reads(deep).ios, 82u);
}

// effect: wait_for
TEST(ControlFlow, WaitForStartsAJobAfterTheNamedOneEnds) {
  const auto run = run_text(
      "[global]\nioengine=null\nsize=1g\ntime_based\nruntime=150ms\n[a]\nnumjobs=2\n[b]\nwait_for=a\nruntime=50ms\n"
      "[c]\nruntime=50ms\n[d]\nwait_for=b\nruntime=50ms\nthread\n");
  ASSERT_EQ(run.jobs.size(), 5u);
  const auto start = [&](std::size_t i) { return run.jobs[i].start_epoch_ms; };
  EXPECT_GE(start(2), start(0) + 149);
  EXPECT_LT(start(3), start(2)) << "c does not wait";
  EXPECT_GE(start(4), start(2) + 49);
  for (const auto& each : run.jobs) EXPECT_GT(each.dirs[0].ios, 0u);
}

TEST(ControlFlow, ExitallEndsAJobThatWaitsForAnother) {
  const auto run = run_text(
      "[global]\nioengine=null\nsize=1g\ntime_based\n[a]\nruntime=100ms\nexitall\nexit_what=all\n[b]\nwait_for=a\n"
      "runtime=100s\n");
  ASSERT_EQ(run.jobs.size(), 2u);
  EXPECT_EQ(run.jobs[1].dirs[0].ios, 0u);
}

// effect: startdelay
TEST(ControlFlow, StartdelayDelaysByATimeOrARange) {
  const auto before_ms = base::epoch_ms();
  const auto run =
      run_text("[global]\nioengine=null\nsize=1m\n[a]\n[b]\nstartdelay=100ms\n[c]\nstartdelay=50ms-150ms\nnumjobs=3\n");
  ASSERT_EQ(run.jobs.size(), 5u);
  // From a time before the start: any job, also the first, may start late on a busy machine.
  const auto delay = [&](std::size_t i) { return run.jobs[i].start_epoch_ms - before_ms; };
  EXPECT_GE(delay(1), 99u);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_GE(delay(i), 49u);
  EXPECT_FALSE(delay(2) == delay(3) && delay(3) == delay(4)) << "each draws its own";
}

// effect: flow flow_sleep flow_id
TEST_IN_ATTEMPTS(ControlFlow, AFlowIsSharedByWeight) {
  for (const std::string sleep : {"", "flow_sleep=100\n"}) {
    const auto run = run_text("[global]\nioengine=null\nsize=1g\ntime_based\nruntime=500ms\nflow_id=3\n" + sleep +
                              "[a]\nflow=30\nrate_iops=3000\nruntime=700ms\n[b]\nflow=10\n[c]\nflow=0\n");
    ASSERT_EQ(run.jobs.size(), 3u);
    const auto ios = [&](std::size_t i) { return static_cast<double>(run.jobs[i].dirs[0].ios); };
    EXPECT_LE(3 * ios(1), ios(0) + 20) << "held to a third of what the other does: " << sleep;
    EXPECT_GE(ios(1), 150) << sleep;
    EXPECT_GT(ios(2), 2 * ios(0)) << "in no flow";
  }
}

// effect: steadystate steadystate_duration steadystate_ramp_time steadystate_check_interval
TEST_IN_ATTEMPTS(ControlFlow, ASteadyStateEndsTheJobAndItsGroup) {
  const auto run = run_text(
      "[global]\nioengine=null\nsize=1g\ntime_based\nruntime=20s\nrate_iops=1000\nsteadystate_duration=2\n"
      "steadystate_check_interval=1\n[a]\nsteadystate=iops:20%\nnumjobs=2\ngroup_reporting\n"
      "[b]\nnew_group\ngroup_reporting=0\nsteadystate=lat:1000s\nsteadystate_ramp_time=1\n"
      "[c]\nnew_group\nsteadystate=bw_slope:0.0000001%\nruntime=4s\ngroup_reporting=0\n");
  ASSERT_EQ(run.jobs.size(), 3u);
  const auto& a = run.jobs[0];
  ASSERT_TRUE(a.steady_state.has_value());
  EXPECT_TRUE(a.steady_state->attained);
  EXPECT_EQ(a.steady_state->iops.size(), 2u);
  EXPECT_NEAR(a.steady_state->iops[1], 2000, 100) << "both of the group";
  EXPECT_NEAR(static_cast<double>(a.dirs[0].runtime_ms), 2100, 350);
  const auto& b = run.jobs[1];
  EXPECT_TRUE(b.steady_state->attained);
  EXPECT_EQ(b.steady_state->lat_ns.size(), 2u);
  EXPECT_GT(b.steady_state->lat_ns[0], 0);
  EXPECT_NEAR(static_cast<double>(b.dirs[0].runtime_ms), 3100, 350) << "after its ramp";
  const auto& c = run.jobs[2];
  EXPECT_FALSE(c.steady_state->attained);
  EXPECT_GE(c.dirs[0].runtime_ms, 3990u);
  EXPECT_FALSE(run.interrupted);
}

// effect: rate_iops_min rate_min rate_cycle
TEST_IN_ATTEMPTS(ControlFlow, AJobBelowItsMinimumRateEndsWithAnError) {
  const auto run = run_text(
      "[global]\nioengine=null\nsize=1g\ntime_based\nruntime=10s\nthinktime=10ms\nrate_cycle=100\n"
      "[a]\nrate_iops_min=1000\n[b]\nrate_min=1m\n[c]\nrate_iops_min=10\nrate_min=0,1g\nruntime=2500ms\n");
  ASSERT_EQ(run.jobs.size(), 3u);
  EXPECT_EQ(run.jobs[0].error, EIO);
  EXPECT_EQ(run.jobs[1].error, EIO);
  EXPECT_EQ(run.jobs[2].error, 0) << "it is fast enough, and does not write";
  EXPECT_NEAR(static_cast<double>(run.jobs[0].dirs[0].runtime_ms), 2150, 250);
  ASSERT_EQ(run.errors.size(), 2u);
  EXPECT_EQ(run.errors[0].message.find("a: rate_iops_min=1000 not met, got "), 0u) << run.errors[0].message;
  EXPECT_EQ(run.errors[1].message.find("b: rate_min=1048576B/s not met, got "), 0u) << run.errors[1].message;
}

}  // namespace
}  // namespace fathom::loops
