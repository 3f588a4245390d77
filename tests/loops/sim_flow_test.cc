// Flows with answers known in advance: the sim engine's latency is scripted on a fake clock, so counts, times and
// percentiles have one right value.
#include <gtest/gtest.h>

#include <cmath>

#include "loops/flow.h"

namespace fathom::loops {
namespace {

const result::Direction& writes(const result::Run& run) { return run.jobs.at(0).dirs[1]; }

TEST(SimFlow, ConstantLatencyIsExact) {
  const auto run = run_text("[t]\nioengine=sim\nsim_latency=const:100us\nsize=4000k\nbs=4k\nrw=randread\n");
  EXPECT_EQ(reads(run).ios, 1000u);
  EXPECT_EQ(reads(run).bytes, 4'096'000u);
  EXPECT_EQ(reads(run).clat.moments_ns.min(), 100'000u);
  EXPECT_EQ(reads(run).clat.moments_ns.max, 100'000u);
  EXPECT_EQ(reads(run).lat.moments_ns.mean(), 100'000.0);
  EXPECT_EQ(reads(run).runtime_ns, 100'000'000u);
  EXPECT_EQ(reads(run).runtime_ms, 100u);
  EXPECT_EQ(writes(run).ios, 0u);
  EXPECT_EQ(run.jobs[0].clock.source, "sim");
}

TEST(SimFlow, IodepthDividesTheRuntime) {
  const auto run = run_text("[t]\nioengine=sim\nsim_latency=const:100us\nsize=4000k\nrw=read\niodepth=4\n");
  EXPECT_EQ(reads(run).ios, 1000u);
  EXPECT_EQ(reads(run).runtime_ns, 25'000'000u);
  EXPECT_EQ(reads(run).clat.moments_ns.mean(), 100'000.0);
  const auto& depth = run.jobs[0].depth;
  EXPECT_EQ(depth.level[0] + depth.level[1] + depth.level[2], 1000u);
  EXPECT_GE(depth.level[2], 990u);
}

// effect: iodepth_batch_complete_min iodepth_batch_complete_max
TEST(SimFlow, BatchOptionsSetSubmitAndReapSizes) {
  const auto run = run_text(
      "[t]\nioengine=sim\nsim_latency=const:100us\nsize=4096k\nrw=read\niodepth=16\niodepth_batch=8\niodepth_batch_"
      "complete_min=8\n"
      "iodepth_batch_complete_max=16\n");
  const auto& job = run.jobs[0];
  EXPECT_EQ(reads(run).ios, 1024u);
  EXPECT_EQ(job.depth.submit_calls, 128u);
  EXPECT_EQ(job.depth.submit[2], 128u);  // 5-8
  EXPECT_EQ(job.stamps.submit.max_ios, 8u);
  EXPECT_EQ(job.stamps.submit.ios, 1024u);
  EXPECT_GE(job.stamps.reap.max_ios, 8u);
}

// effect: iodepth_low
TEST(SimFlow, IodepthLowDrainsTheQueueBeforeItIsFilled) {
  const auto calls = [](const char* low) {
    const auto run = run_text(
        std::string("[t]\nioengine=sim\nsim_latency=const:100us\nsize=4096k\nrw=read\niodepth=16\niodepth_batch=16\n") +
        low);
    return run.jobs[0].depth.submit_calls;
  };
  EXPECT_GT(calls(""), 1000u);
  EXPECT_EQ(calls("iodepth_low=4\n"), 85u) << "sixteen, then twelve at a time";
}

TEST(SimFlow, RuntimeBoundsATimeBasedJob) {
  const auto run =
      run_text("[t]\nioengine=sim\nsim_latency=const:100us\nsize=1m\nrw=randread\ntime_based\nruntime=1s\n");
  EXPECT_EQ(reads(run).ios, 10'000u);
  EXPECT_EQ(reads(run).runtime_ns, 1'000'000'000u);
}

TEST(SimFlow, RuntimeEndsASizedJobEarly) {
  const auto run = run_text("[t]\nioengine=sim\nsim_latency=const:1ms\nsize=1g\nrw=read\nruntime=100ms\n");
  EXPECT_EQ(reads(run).ios, 100u);
}

TEST(SimFlow, RampTimeIsNotMeasured) {
  const auto run = run_text(
      "[t]\nioengine=sim\nsim_latency=const:100us\nsize=1m\nrw=randread\ntime_based\nruntime=1s\nramp_time=500ms\n");
  EXPECT_EQ(reads(run).ios, 10'000u);
  EXPECT_EQ(reads(run).runtime_ns, 1'000'000'000u);
  EXPECT_EQ(reads(run).clat.moments_ns.n, 10'000u);
}

TEST(SimFlow, LoopsRepeatThePass) {
  const auto run = run_text("[t]\nioengine=sim\nsize=400k\nrw=randread\nloops=3\n");
  EXPECT_EQ(reads(run).ios, 300u);
}

TEST(SimFlow, NumberIosEndsTheJob) {
  const auto run = run_text("[t]\nioengine=sim\nsize=400k\nrw=randread\nnumber_ios=7\n");
  EXPECT_EQ(reads(run).ios, 7u);
}

TEST(SimFlow, AtAKeptRateIntendedLatencyEqualsServiceLatency) {
  const auto run = run_text("[t]\nioengine=sim\nsim_latency=const:10us\nsize=4000k\nrw=read\nrate_iops=1000\n");
  EXPECT_EQ(reads(run).ios, 1000u);
  EXPECT_NEAR(static_cast<double>(reads(run).runtime_ns), 999e6 + 10e3, 1e6);
  EXPECT_EQ(reads(run).intended_lat.moments_ns.n, 1000u);
  EXPECT_NEAR(reads(run).intended_lat.moments_ns.mean(), 10'000, 10);
  EXPECT_EQ(reads(run).start_delay.moments_ns.n, 1000u);
  EXPECT_EQ(reads(run).start_delay.moments_ns.max, 0u);
  EXPECT_EQ(run.jobs[0].rate.late_ios, 0u);
}

// Coordinated omission: the device needs 2 ms, the job asks for one I/O a millisecond. Service time stays 2 ms; from
// the intended start the n-th I/O is n ms late.
TEST(SimFlow, BehindItsRateIntendedLatencyGrowsWhileClatDoesNot) {
  const auto run = run_text("[t]\nioengine=sim\nsim_latency=const:2ms\nsize=400k\nrw=read\nrate_iops=1000\n");
  EXPECT_EQ(reads(run).ios, 100u);
  EXPECT_EQ(reads(run).clat.moments_ns.max, 2'000'000u);
  EXPECT_NEAR(static_cast<double>(reads(run).intended_lat.moments_ns.max), 99 * 1e6 + 2e6, 1e5);
  EXPECT_NEAR(static_cast<double>(reads(run).start_delay.moments_ns.max), 99 * 1e6, 1e5);
  EXPECT_GT(run.jobs[0].rate.late_ios, 90u);
}

// Half a millisecond behind after 100 I/Os: in the intended latency, but not yet late.
TEST(SimFlow, LateMeansMoreThanAMillisecond) {
  const auto run = run_text("[t]\nioengine=sim\nsim_latency=const:1005us\nsize=400k\nrw=read\nrate_iops=1000\n");
  EXPECT_NEAR(static_cast<double>(reads(run).intended_lat.moments_ns.max), 1005e3 + 99 * 5e3, 1e3);
  EXPECT_EQ(run.jobs[0].rate.late_ios, 0u);
}

TEST(SimFlow, ThinktimeIsNotLatency) {
  const auto run = run_text("[t]\nioengine=sim\nsim_latency=const:100us\nsize=400k\nrw=read\nthinktime=900\n");
  EXPECT_EQ(reads(run).ios, 100u);
  EXPECT_EQ(reads(run).clat.moments_ns.max, 100'000u);
  EXPECT_EQ(reads(run).lat.moments_ns.max, 100'000u);
  EXPECT_NEAR(static_cast<double>(reads(run).runtime_ns), 100 * 100e3 + 99 * 900e3, 1e6);
}

TEST(SimFlow, ThinktimeDrainsADeepQueueFirst) {
  const auto run = run_text(
      "[t]\nioengine=sim\nsim_latency=const:100us\nsize=400k\nrw=read\niodepth=4\nthinktime=1ms\nthinktime_blocks=4\n"
      "thinktime_blocks_type=issue\n");
  EXPECT_EQ(reads(run).ios, 100u);
  EXPECT_NEAR(static_cast<double>(reads(run).runtime_ns), 25 * 100e3 + 24 * 1e6, 2e6);
}

TEST(SimFlow, AJobThatEndsInItsRampStillReports) {
  const auto run = run_text("[t]\nioengine=sim\nsim_latency=const:100us\nsize=400k\nrw=read\nramp_time=1s\n");
  EXPECT_EQ(reads(run).ios, 100u);
  EXPECT_EQ(reads(run).runtime_ns, 10'000'000u);
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].id, "run.ended_in_ramp");
}

TEST(SimFlow, ARateOfOneDirectionOfAMixIsReported) {
  const auto run = run_text("[t]\nioengine=sim\nsize=400k\nrw=randrw\nrate_iops=1000,0\n");
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].id, "rate.one_direction");
}

TEST(SimFlow, SyncsAreCountedApart) {
  const auto run = run_text("[t]\nioengine=sim\nsize=400k\nrw=write\nfsync=10\n");
  EXPECT_EQ(writes(run).ios, 100u);
  EXPECT_GE(run.jobs[0].sync_ios, 9u);
  EXPECT_LE(run.jobs[0].sync_ios, 10u);
  EXPECT_EQ(run.jobs[0].sync_lat.moments_ns.n, run.jobs[0].sync_ios);
}

TEST(SimFlow, AnErrorEndsTheJobAndLosesNothing) {
  const auto run = run_text("[t]\nioengine=sim\nsize=4000k\nrw=read\nsim_fail_every=10\n");
  EXPECT_EQ(reads(run).ios, 9u);
  EXPECT_EQ(reads(run).error_ios, 1u);
  EXPECT_EQ(run.jobs[0].error, EIO);
  ASSERT_EQ(run.errors.size(), 1u);
  EXPECT_EQ(run.errors[0].offset_bytes, 9u * 4096);
  EXPECT_EQ(run.errors[0].op, "read");
  EXPECT_EQ(reads(run).clat.moments_ns.n, 9u);
}

// In a full queue: what was in flight with it still comes back, and every I/O that was issued is counted once.
TEST(SimFlow, AnErrorInAFullQueueLosesNothing) {
  for (const char* depth : {"2", "8", "64"}) {
    const auto run = run_text(
        "[t]\nioengine=sim\nsize=4000k\nrw=randread\nsim_fail_every=100\niodepth=" + std::string(depth) + "\n");
    const auto& d = reads(run);
    EXPECT_EQ(d.error_ios, 1u) << depth;
    EXPECT_GE(d.ios, 99u) << depth;
    EXPECT_EQ(d.issued, d.ios + d.error_ios) << depth;
    EXPECT_EQ(d.bytes, d.ios * 4096) << depth;
    EXPECT_EQ(d.clat.moments_ns.n, d.ios) << depth;
  }
}

TEST(SimFlow, GtodReduceCountsWithoutLatencies) {
  const auto run = run_text("[t]\nioengine=sim\nsize=4000k\nrw=randrw\ngtod_reduce=1\n");
  EXPECT_EQ(reads(run).ios + writes(run).ios, 1000u);
  EXPECT_EQ(reads(run).clat.moments_ns.n, 0u);
  EXPECT_EQ(reads(run).lat.moments_ns.n, 0u);
}

// Under fio's placement `issue` is read after the submitting call, which takes no time here: the sums still agree.
TEST(SimFlow, UnderFioStampsSlatPlusClatIsLat) {
  const auto run =
      run_text("[t]\nioengine=sim\nsim_latency=const:100us\nsize=4000k\nrw=read\niodepth=8\n", {.fio_stamps = true});
  const auto& d = reads(run);
  EXPECT_EQ(d.lat.moments_ns.sum, d.slat.moments_ns.sum + d.clat.moments_ns.sum);
  EXPECT_EQ(run.jobs[0].stamps.placement, "fio");
}

TEST(SimFlow, SlatPlusClatIsLat) {
  const auto run =
      run_text("[t]\nioengine=sim\nsim_latency=exp:100us\nsize=40m\nrw=randrw\niodepth=32\niodepth_batch=8\n");
  for (const auto& d : {reads(run), writes(run)})
    EXPECT_EQ(d.lat.moments_ns.sum, d.slat.moments_ns.sum + d.clat.moments_ns.sum);
}

struct Scripted {
  const char* name;
  const char* latency;
  double (*quantile)(double p);  // of the script, ns
};
class SimulatedDistribution : public ::testing::TestWithParam<Scripted> {};

// 200,000 samples: the standard error of a quantile estimate is sqrt(p(1-p)/n)/density; four of them plus the
// histogram's 1/128.
TEST_P(SimulatedDistribution, PercentilesAreWithinTheHistogramsError) {
  const auto run =
      run_text(std::string("[t]\nioengine=sim\nsize=800000k\nrw=randread\nsim_latency=") + GetParam().latency + "\n");
  const auto& h = reads(run).clat.histogram_ns;
  ASSERT_EQ(h.total(), 200'000u);
  for (double p : {5.0, 50.0, 90.0, 99.0}) {
    const double q = p / 100, step = 4 * std::sqrt(q * (1 - q) / 200'000);
    const double low = GetParam().quantile(std::max(1e-9, q - step)) * (1 - stats::kRelativeError) - 1;
    const double high = GetParam().quantile(std::min(1 - 1e-9, q + step)) * (1 + stats::kRelativeError) + 1;
    const auto seen = static_cast<double>(h.percentile(p));
    EXPECT_GE(seen, low) << "p" << p;
    EXPECT_LE(seen, high) << "p" << p;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Distributions, SimulatedDistribution,
    ::testing::Values(Scripted{"uniform", "uniform:10us:20us", [](double q) { return 10e3 + 10e3 * q; }},
                      Scripted{"exponential", "exp:100us", [](double q) { return -100e3 * std::log(1 - q); }}),
    [](const auto& scripted) { return std::string(scripted.param.name); });

TEST(SimFlow, SecondsLongLatenciesDoNotSaturate) {
  const auto run = run_text("[t]\nioengine=sim\nsim_latency=const:100s\nsize=40k\nrw=read\n");
  EXPECT_NEAR(static_cast<double>(reads(run).clat.histogram_ns.percentile(99)), 100e9, 100e9 / 128);
}

TEST(SimFlow, GroupReportingIsTheSumOfItsMembers) {
  const auto run =
      run_text("[global]\nioengine=sim\nsize=4000k\nrw=read\ngroup_reporting\n[a]\nnumjobs=3\n[b]\nthread\n");
  ASSERT_EQ(run.jobs.size(), 1u);
  ASSERT_EQ(run.group_members.size(), 4u);
  EXPECT_EQ(run.jobs[0].members, 4);
  EXPECT_EQ(reads(run).ios, 4000u);
  EXPECT_EQ(reads(run).clat.histogram_ns.total(), 4000u);
  ASSERT_EQ(run.groups.size(), 1u);
  EXPECT_EQ(run.groups[0].dirs[0].bytes, 4u * 4'096'000);
  // As in fio: the group's entries are what was reported, here one sum.
  EXPECT_DOUBLE_EQ(run.groups[0].dirs[0].min_bytes_per_s, run.groups[0].dirs[0].max_bytes_per_s);
}

TEST(SimFlow, ClonesAreReproducibleAndDiffer) {
  const auto twice = [] {
    return run_text("[t]\nioengine=sim\nsim_latency=exp:50us\nsize=4000k\nrw=randrw\nnumjobs=2\n");
  };
  const auto a = twice(), b = twice();
  for (int j = 0; j < 2; ++j) EXPECT_EQ(a.jobs[j].dirs[0].ios, b.jobs[j].dirs[0].ios);
  EXPECT_EQ(a.jobs[0].dirs[0].ios + a.jobs[0].dirs[1].ios, 1000u);
}

TEST(SimFlow, AStopBeforeTheStartReportsAnInterruptedRun) {
  const auto run = run_text("[t]\nioengine=sim\nsize=4000k\nrw=read\n", {.stop = 1});
  EXPECT_TRUE(run.interrupted);
  EXPECT_EQ(reads(run).ios, 0u);
}

TEST(SimFlow, StonewallRunsStagesInTurn) {
  const auto run = run_text("[global]\nioengine=null\nsize=1g\ntime_based\nruntime=200ms\n[a]\n[b]\nstonewall\n");
  ASSERT_EQ(run.jobs.size(), 2u);
  EXPECT_GE(run.jobs[1].start_epoch_ms, run.jobs[0].start_epoch_ms + 190);
  EXPECT_EQ(run.jobs[1].group_id, 1);
}

TEST(SimFlow, ExitallEndsTheGroup) {
  const auto run = run_text(
      "[global]\nioengine=null\nsize=1g\n[short]\ntime_based\nruntime=100ms\nexitall\n[long]\ntime_based\nruntime="
      "100s\n");
  ASSERT_EQ(run.jobs.size(), 2u);
  EXPECT_LT(run.jobs[1].job_runtime_ms, 60'000u);
  EXPECT_FALSE(run.interrupted);
}

}  // namespace
}  // namespace fathom::loops
