// A clock that steps back under the loops: every I/O is counted, those that a step hit have no latency and are counted
// apart, and no latency wraps around to centuries.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/system/shared_memory.h"
#include "engine/null.h"
#include "flow.h"
#include "run/loop/queue_loop_slow.h"
#include "run/loop/sync_loop.h"
#include "workload/stream.h"

namespace fathom::loops {
namespace {

constexpr std::uint64_t kIos = 1000, kStep_ns = 100, kBack_ns = 5000, kPeriod = 49, kLastStep = 1900;

struct Ticker {
  std::uint64_t readings = 0, now_ns = 1'000'000'000, back = 0;
};

// Goes on by 100 ns a reading, and at every 49th of the first 1900 goes back by 5 us.
struct SteppingClock {
  static constexpr bool kCountsNanoseconds = true;
  Ticker* ticker;
  base::Ticks now() const {
    const bool steps = ++ticker->readings % kPeriod == 0 && ticker->readings < kLastStep;
    ticker->back += steps ? 1 : 0;
    ticker->now_ns += kStep_ns;
    if (steps) ticker->now_ns -= kBack_ns;
    return {ticker->now_ns};
  }
};

struct SteppedRun {
  base::system::SharedArray<run::records::WorkerRecord> record{1};
  Ticker ticker;
  run::records::Measured& measured() { return record[0].measured; }
  stats::Moments clat() { return measured().dirs[0].clat.moments; }
};

template <class Loop>
void run_stepping(std::uint32_t depth, SteppedRun& ran, job::Job job = {}) {
  job.iodepth = depth;
  job.number_ios = kIos;
  job.size.bytes = 1 << 30;
  job.size.set = true;
  const io::Target target{"", io::TargetKind::none, -1, 1 << 30, 0, 1 << 30};
  workload::Stream stream(job, {&target, 1}, 0);
  auto buffers = workload::bytes::BufferPool::make(depth, stream.largest_request(), 0);
  ASSERT_TRUE(buffers.ok());
  const std::atomic<std::uint32_t> stop{0};
  run::loop::LoopContext context{
      .job = job,
      .targets = {&target, 1},
      .source = &stream,
      .buffers = buffers->view(),
      .record = ran.record[0],
      .stop = stop,
      .calibration = {},
      .ready = [] { return true; },
  };
  engine::NullEngine engine;
  engine::Setup setup{{}, context.targets, depth, buffers->base(), buffers->stride()};
  ASSERT_TRUE(engine.open(setup).ok());
  Loop loop(engine, SteppingClock{&ran.ticker}, context);
  loop.run();
}

template <run::loop::Stamping kStamps>
using SteppedSync = run::loop::SyncLoop<run::loop::LoopTraits<engine::NullEngine, SteppingClock, kStamps, false>>;
template <run::loop::Stamping kStamps>
using SteppedQueue = run::loop::QueueLoop<run::loop::LoopTraits<engine::NullEngine, SteppingClock, kStamps, false>>;

void expect_told(SteppedRun& ran) {
  auto& m = ran.measured();
  EXPECT_EQ(m.done.ios[0].get(), kIos);
  EXPECT_GT(m.clock_steps_back, 0u);
  EXPECT_EQ(ran.clat().n + m.clock_steps_back, kIos);
  EXPECT_LT(ran.clat().max, 1'000'000u);
  EXPECT_LT(m.dirs[0].lat.moments.max, 1'000'000u);
}

TEST(ClockSteps, ASynchronousIoDuringAStepBackHasNoLatency) {
  SteppedRun ran;
  run_stepping<SteppedSync<run::loop::Stamping::fathom>>(1, ran);
  expect_told(ran);
  EXPECT_EQ(ran.measured().clock_steps_back, ran.ticker.back);  // two readings an I/O: each step hits one
  EXPECT_EQ(ran.clat().mean(), static_cast<double>(kStep_ns));
}

TEST(ClockSteps, AQueuedIoDuringAStepBackHasNoLatency) {
  SteppedRun ran;
  run_stepping<SteppedQueue<run::loop::Stamping::fathom>>(4, ran);
  expect_told(ran);
}

TEST(ClockSteps, TimesOfBatchesSyncsAndPacedJobsDoNotWrap) {
  SteppedRun batches;
  job::Job job;
  job.iodepth_batch = job.iodepth_batch_complete_min = job.iodepth_batch_complete_max = 4;
  run_stepping<SteppedQueue<run::loop::Stamping::fathom>>(8, batches, job);
  EXPECT_GT(batches.measured().submit.batches.batches, 0u);
  EXPECT_LT(batches.measured().submit.batches.max_ns, 1'000'000u);
  EXPECT_LT(batches.measured().reap.batches.max_ns, 1'000'000u);

  SteppedRun syncs;
  job::Job writer;
  writer.mode.reads = false;
  writer.mode.writes = true;
  writer.fsync_every = 2;
  run_stepping<SteppedSync<run::loop::Stamping::fathom>>(1, syncs, writer);
  EXPECT_GT(syncs.measured().sync_lat.moments.n, 0u);
  EXPECT_LT(syncs.measured().sync_lat.moments.max, 1'000'000u);

  SteppedRun paced;
  job::Job rated;
  rated.rate_iops[0] = 4'000'000;
  run_stepping<
      run::loop::SyncLoop<run::loop::LoopTraits<engine::NullEngine, SteppingClock, run::loop::Stamping::fathom, true>>>(
      1, paced, rated);
  EXPECT_GT(paced.measured().dirs[0].start_delay.moments.n, 0u);
  EXPECT_LT(paced.measured().dirs[0].start_delay.moments.max, 1'000'000u);
  EXPECT_LT(paced.measured().dirs[0].intended.moments.max, 1'000'000u);
}

// A whole run over such a clock: the loop is ours, all around it is the program's.
base::Expected<void> stepping_loop(run::loop::LoopContext& context) {
  Ticker ticker;
  engine::NullEngine engine;
  SteppedSync<run::loop::Stamping::fathom> loop(engine, SteppingClock{&ticker}, context);
  if (context.ready()) loop.run();
  return {};
}

TEST(ClockSteps, TheRunReportsHowManyIosHaveNoLatency) {
  auto jobs = parse_jobs("[t]\nioengine=null\nsize=4000k\nthread\n");
  auto plans = run::plan_jobs(jobs);
  ASSERT_TRUE(plans.ok());
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  run::RunOptions options;
  options.find_loop = [](std::string_view) -> run::loop::LoopFunction { return stepping_loop; };
  options.stop = &stop[0];
  const auto result = run::run_jobs(*plans, jobs, options);
  const auto& read = result.jobs.at(0).dirs[0];
  EXPECT_EQ(read.ios, kIos);
  const auto lost = kIos - read.clat.moments_ns.n;
  EXPECT_GT(lost, 0u);
  const auto said = std::find_if(result.findings.begin(), result.findings.end(),
                                 [](const auto& f) { return f.id == "clock.stepped_back"; });
  ASSERT_NE(said, result.findings.end());
  EXPECT_NE(said->evidence.find("during " + std::to_string(lost) + " I/Os"), std::string::npos) << said->evidence;
}

TEST(ClockSteps, AMonotonicClockReportsNoSteps) {
  SteppedRun ran;
  ran.ticker.readings = kLastStep;
  run_stepping<SteppedSync<run::loop::Stamping::fathom>>(1, ran);
  EXPECT_EQ(ran.measured().clock_steps_back, 0u);
  EXPECT_EQ(ran.clat().n, kIos);
}

// A clock that is set once, by an hour, beside a reference that is not: both go on by 100 ns a reading of the clock.
struct Set {
  std::uint64_t true_ns = 1'000'000'000, set_at_ns = 0;
  std::int64_t by_ns = 0;
  std::atomic<std::uint32_t> stop{0};
  std::uint64_t stop_at_ns = ~0ull;  // as the parent does it
};
Set* set = nullptr;
std::uint64_t true_ns() { return set->true_ns; }

struct SetClock {
  static constexpr bool kCountsNanoseconds = true;
  base::Ticks now() const {
    set->true_ns += kStep_ns;
    if (set->true_ns >= set->stop_at_ns) set->stop.store(1);
    const std::int64_t by_ns = set->true_ns >= set->set_at_ns ? set->by_ns : 0;
    return {10'000'000'000'000 + set->true_ns + static_cast<std::uint64_t>(by_ns)};
  }
};

constexpr std::uint64_t kRuntime_ns = 20'000'000, kHour_ns = 3'600'000'000'000;

template <class Engine, class Loop>
void run_set(Set& how, job::Job job, base::system::SharedArray<run::records::WorkerRecord>& record) {
  set = &how;
  job.runtime_ns = kRuntime_ns;
  job.time_based = true;
  job.size.bytes = 1 << 30;
  job.size.set = true;
  const io::Target target{"", io::TargetKind::none, -1, 1 << 30, 0, 1 << 30};
  workload::Stream stream(job, {&target, 1}, 0);
  auto buffers = workload::bytes::BufferPool::make(job.iodepth, stream.largest_request(), 0);
  ASSERT_TRUE(buffers.ok());
  run::loop::LoopContext context{
      .job = job,
      .targets = {&target, 1},
      .source = &stream,
      .buffers = buffers->view(),
      .record = record[0],
      .stop = how.stop,
      .calibration = {},
      .ready = [] { return true; },
      .reference_ns = true_ns,
  };
  Engine engine;
  engine::Setup setup{{}, context.targets, job.iodepth, buffers->base(), buffers->stride()};
  ASSERT_TRUE(engine.open(setup).ok());
  Loop loop(engine, SetClock{}, context);
  loop.run();
}
template <bool kInstrumented>
using SetSync = run::loop::SyncLoop<
    run::loop::LoopTraits<engine::NullEngine, SetClock, run::loop::Stamping::fathom, kInstrumented>>;
using SetQueue =
    run::loop::QueueLoop<run::loop::LoopTraits<engine::NullEngine, SetClock, run::loop::Stamping::fathom, false>>;

void expect_the_runtime(const Set& how, const run::records::WorkerRecord& record, std::uint64_t begin_ns) {
  const auto lasted_ns = static_cast<double>(how.true_ns - begin_ns);
  EXPECT_NEAR(lasted_ns, kRuntime_ns, 0.1 * kRuntime_ns) << "it ended when its time was over";
  EXPECT_NEAR(static_cast<double>(record.elapsed_ns), kRuntime_ns, 0.1 * kRuntime_ns);
  EXPECT_NEAR(static_cast<double>(record.flying_ns.load()), kRuntime_ns, 0.1 * kRuntime_ns);
  EXPECT_NEAR(static_cast<double>(record.job_ns), kRuntime_ns, 0.1 * kRuntime_ns);
}

TEST(ClockSet, ForwardTheRunGoesOnForItsTime) {
  for (const bool queue : {false, true}) {
    base::system::SharedArray<run::records::WorkerRecord> record(1);
    Set how{.set_at_ns = 1'005'000'000, .by_ns = static_cast<std::int64_t>(kHour_ns)};
    job::Job job;
    job.iodepth = queue ? 8 : 1;
    if (queue)
      run_set<engine::NullEngine, SetQueue>(how, job, record);
    else
      run_set<engine::NullEngine, SetSync<false>>(how, job, record);
    expect_the_runtime(how, record[0], 1'000'000'000);
  }
}

// Until the step there is one I/O every 10 us, and so there is after it: no hour of them is made up for.
TEST(ClockSet, ForwardTheScheduleOfARateGoesAlong) {
  base::system::SharedArray<run::records::WorkerRecord> record(1);
  Set how{.set_at_ns = 1'005'000'000, .by_ns = static_cast<std::int64_t>(kHour_ns)};
  job::Job job;
  job.rate_iops[0] = 100'000;
  run_set<engine::NullEngine, SetSync<true>>(how, job, record);
  expect_the_runtime(how, record[0], 1'000'000'000);
  EXPECT_NEAR(static_cast<double>(record[0].measured.done.ios[0].get()), 2000, 20);
}

TEST(ClockSet, BackTheRunLastsAsLongAsItDid) {
  base::system::SharedArray<run::records::WorkerRecord> record(1);
  Set how{.set_at_ns = 1'005'000'000, .by_ns = -static_cast<std::int64_t>(kHour_ns)};
  how.stop_at_ns = 1'000'000'000 + kRuntime_ns;
  run_set<engine::NullEngine, SetSync<false>>(how, {}, record);
  expect_the_runtime(how, record[0], 1'000'000'000);
}

TEST(ClockSet, ByNothingChangesNothing) {
  base::system::SharedArray<run::records::WorkerRecord> record(1);
  Set how;
  run_set<engine::NullEngine, SetSync<false>>(how, {}, record);
  expect_the_runtime(how, record[0], 1'000'000'000);
  EXPECT_EQ(record[0].measured.clock_steps_back, 0u);
}

}  // namespace
}  // namespace fathom::loops
