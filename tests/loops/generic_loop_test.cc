// The generic instance of the loops does what the instances of single clocks, placements of stamps and pacing do: on a
// clock that goes on by so much a reading, what it writes down is the same byte for byte, and so is the number of its
// readings. Which jobs get it is a matter of speed alone.
#include <gtest/gtest.h>

#include <cstring>

#include "base/system/shared_memory.h"
#include "engine/batch.h"
#include "engine/null.h"
#include "loops/instantiate.h"
#include "workload/stream.h"

namespace fathom::loops {
namespace {

constexpr std::uint64_t kReading_ns = 100;

struct CountingClock {
  static constexpr bool kCountsNanoseconds = true;
  std::uint64_t* readings;
  base::Ticks now() const { return {1'000'000'000 + kReading_ns * ++*readings}; }
};

// It is its own reference: it does not jump.
std::uint64_t* counted = nullptr;
std::uint64_t last_reading_ns() { return 1'000'000'000 + kReading_ns * *counted; }

struct CountedRun {
  base::system::SharedArray<run::records::WorkerRecord> record{1};
  std::uint64_t readings = 0;
};

template <class Loop, class Engine>
void run_over(Engine& engine, const job::Job& job, CountedRun& ran) {
  const io::Target target{"", io::TargetKind::none, -1, 1 << 30, 0, 1 << 30};
  workload::Stream stream(job, {&target, 1}, 0);
  auto buffers = workload::bytes::BufferPool::make(job.iodepth, stream.largest_request(), 0);
  ASSERT_TRUE(buffers.ok());
  const std::atomic<std::uint32_t> stop{0};
  LoopContext context{
      .job = job,
      .targets = {&target, 1},
      .source = &stream,
      .buffers = buffers->view(),
      .record = ran.record[0],
      .stop = stop,
      .calibration = {},
      .ready = [] { return true; },
      .reference_ns = last_reading_ns,
  };
  counted = &ran.readings;
  engine::Setup setup{{}, context.targets, job.iodepth, buffers->base(), buffers->stride()};
  ASSERT_TRUE(engine.open(setup).ok());
  Loop loop(engine, CountingClock{&ran.readings}, context);
  loop.run();
}

template <class Loop>
void run_null(const job::Job& job, CountedRun& ran) {
  engine::NullEngine engine;
  run_over<Loop>(engine, job, ran);
}

void expect_same(CountedRun& own, CountedRun& generic, const std::string& what) {
  const auto &a = own.record[0], &b = generic.record[0];
  EXPECT_GE(a.measured.done.ios[0].get() + a.measured.done.ios[1].get(), 500u) << what;
  EXPECT_EQ(std::memcmp(&a.measured, &b.measured, sizeof a.measured), 0) << what;
  EXPECT_EQ(own.readings, generic.readings) << what;
  EXPECT_EQ(a.elapsed_ns, b.elapsed_ns) << what;
}

struct NamedJob {
  std::string name;
  job::Job job;
};

std::vector<NamedJob> jobs() {
  std::vector<NamedJob> out;
  const auto add = [&](std::string name, auto change) {
    out.push_back({std::move(name), {}});
    auto& job = out.back().job;
    job.number_ios = 1000;
    job.size.bytes = 1 << 30;
    job.size.set = true;
    job.iodepth = job.iodepth_batch = 8;
    change(job);
    job.fill = job::Fill::stamped;
  };
  add("one by one", [](job::Job& j) { j.iodepth_batch = j.iodepth_batch_complete_max = 1; });
  add("batches", [](job::Job& j) { j.iodepth_batch_complete_min = j.iodepth_batch_complete_max = 8; });
  add("uneven batches", [](job::Job& j) { j.iodepth_batch = 3, j.iodepth_low = 2, j.iodepth_batch_complete_max = 5; });
  add("writes and syncs", [](job::Job& j) { j.mode.reads = false, j.mode.writes = true, j.fsync_every = 7; });
  add("mixed", [](job::Job& j) { j.mode.writes = j.mode.random = true; });
  return out;
}

void stamp_as(Stamping stamps, job::Job& job) {
  job.gtod_reduce = stamps == Stamping::none;
  job.fio_stamps = stamps == Stamping::fio;
}

template <class Engine, Stamping kStamps, bool kInstrumented>
using Counted = run::loop::LoopTraits<Engine, CountingClock, kStamps, kInstrumented>;

template <template <class> class Loop, Stamping kStamps>
void compare(job::Job job, const std::string& what) {
  stamp_as(kStamps, job);
  CountedRun own, generic;
  run_null<Loop<Counted<engine::NullEngine, kStamps, false>>>(job, own);
  run_null<Loop<Counted<engine::NullEngine, Stamping::chosen, true>>>(job, generic);
  expect_same(own, generic, what + ", stamps " + std::to_string(static_cast<int>(kStamps)));
}

template <Stamping kStamps>
void compare_both(const NamedJob& row) {
  compare<run::loop::QueueLoop, kStamps>(row.job, "queue, " + row.name);
  job::Job one = row.job;
  one.iodepth = one.iodepth_batch = 1;
  compare<run::loop::SyncLoop, kStamps>(one, "synchronous, " + row.name);
}

TEST(GenericLoop, RecordsTheSameAsTheSpecializedLoops) {
  for (const auto& row : jobs()) {
    compare_both<Stamping::fathom>(row);
    compare_both<Stamping::fio>(row);
    compare_both<Stamping::none>(row);
  }
}

TEST(GenericLoop, RecordsTheSameAsTheSpecializedLoopsOfPacedJobs) {
  for (auto& row : jobs()) {
    row.job.rate_iops[0] = row.job.rate_iops[1] = 100'000;
    for (const auto stamps : {Stamping::fathom, Stamping::fio, Stamping::none}) {
      stamp_as(stamps, row.job);
      row.job.number_ios = 500;
      CountedRun generic;
      run_null<run::loop::QueueLoop<Counted<engine::NullEngine, Stamping::chosen, true>>>(row.job, generic);
      CountedRun own;
      if (stamps == Stamping::fathom)
        run_null<run::loop::QueueLoop<Counted<engine::NullEngine, Stamping::fathom, true>>>(row.job, own);
      else if (stamps == Stamping::fio)
        run_null<run::loop::QueueLoop<Counted<engine::NullEngine, Stamping::fio, true>>>(row.job, own);
      else
        run_null<run::loop::QueueLoop<Counted<engine::NullEngine, Stamping::none, true>>>(row.job, own);
      expect_same(own, generic, "paced, " + row.name);
    }
  }
}

// An engine behind two indirect calls a batch is driven as it is without them.
TEST(GenericLoop, AnEngineBehindBatchIsDrivenAsWithoutIt) {
  for (const auto& row : jobs()) {
    CountedRun own, batched;
    run_null<run::loop::QueueLoop<Counted<engine::NullEngine, Stamping::fathom, false>>>(row.job, own);
    engine::Batched<engine::NullEngine> null;
    engine::Batch batch(null);
    run_over<run::loop::QueueLoop<Counted<engine::Batch, Stamping::fathom, false>>>(batch, row.job, batched);
    expect_same(own, batched, row.name);
  }
}

}  // namespace
}  // namespace fathom::loops
