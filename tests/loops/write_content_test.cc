// What writes carry, as an engine gets it: no block twice, not even when one offset is written over and over; where no
// time is taken, another block now and then and neighbours that differ in their offset alone; and blocks of jobs that
// ask for fresh bytes share nothing with the one before.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <unordered_set>

#include "base/system/shared_memory.h"
#include "clock/sources/calibration.h"
#include "clock/sources/source.h"
#include "engine/null.h"
#include "run/loop/queue_loop_slow.h"
#include "run/loop/sync_loop.h"

namespace fathom::loops {
namespace {

constexpr std::uint64_t kRewrites = 5000;
constexpr std::uint32_t kBlockBytes = 4096;

// Keeps what it is given to write.
class KeepingEngine : public engine::NullEngine {
 public:
  void post(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
    keep(request, buffer);
    engine::NullEngine::post(slot, request, buffer);
  }
  std::int32_t do_one(const io::Request& request, std::byte* buffer) {
    keep(request, buffer);
    return static_cast<std::int32_t>(request.length);
  }
  std::unordered_set<std::string> blocks;
  std::uint64_t words_alike = 0;  // with the block before it

 private:
  void keep(const io::Request& request, const std::byte* buffer) {
    std::string block(reinterpret_cast<const char*>(buffer), request.length);
    for (std::size_t at = 0; at + 8 <= before_.size(); at += 8)
      words_alike += std::memcmp(before_.data() + at, block.data() + at, 8) == 0 ? 1 : 0;
    blocks.insert(block);
    before_ = std::move(block);
  }
  std::string before_;
};

// One block of a file, written again and again.
template <class Loop>
void write_over(std::uint32_t depth, KeepingEngine& engine, workload::bytes::Refill* refill = nullptr) {
  job::Job job;
  job.mode = {.reads = false, .writes = true, .random = true};
  job.norandommap = true;
  job.iodepth = depth;
  job.iodepth_batch = depth;
  job.number_ios = kRewrites;
  job.size.bytes = kBlockBytes;
  job.size.set = true;
  job.io_size.bytes = 1ull << 40;
  job.io_size.set = true;
  const io::Target target{"", io::TargetKind::none, -1, kBlockBytes, 0, kBlockBytes};
  workload::Stream stream(job, {&target, 1}, 0);
  auto buffers = workload::bytes::BufferPool::make(depth, stream.largest_request(), 0);
  ASSERT_TRUE(buffers.ok());
  const std::atomic<std::uint32_t> stop{0};
  base::system::SharedArray<run::records::WorkerRecord> record(1);
  run::loop::LoopContext context{
      .job = job,
      .targets = {&target, 1},
      .source = &stream,
      .buffers = buffers->view(),
      .record = record[0],
      .stop = stop,
      .calibration = clock::sources::calibrate(clock::sources::Source::cpu),
      .refill = refill,
      .ready = [] { return true; },
  };
  ASSERT_TRUE(engine.open({{}, context.targets, depth, buffers->base(), buffers->stride()}).ok());
  Loop loop(engine, {}, context);
  loop.run();
  EXPECT_EQ(record[0].measured.done.ios[1].get(), kRewrites);
}

using run::loop::Stamping;
template <Stamping kStamps, bool kInstrumented = false>
using KeepingSync =
    run::loop::SyncLoop<run::loop::LoopTraits<KeepingEngine, clock::sources::CpuClock, kStamps, kInstrumented>>;
template <Stamping kStamps, bool kInstrumented = false>
using KeepingQueue =
    run::loop::QueueLoop<run::loop::LoopTraits<KeepingEngine, clock::sources::CpuClock, kStamps, kInstrumented>>;

template <class Loop>
class WriteContent : public ::testing::Test {};
using TimedLoops =
    ::testing::Types<KeepingSync<Stamping::fathom>, KeepingSync<Stamping::fio>, KeepingSync<Stamping::fathom, true>,
                     KeepingQueue<Stamping::fathom>, KeepingQueue<Stamping::fio>, KeepingQueue<Stamping::fathom, true>>;
TYPED_TEST_SUITE(WriteContent, TimedLoops);

TYPED_TEST(WriteContent, RewritesOfOneOffsetAllDiffer) {
  constexpr bool kQueue = requires(TypeParam & loop) { &TypeParam::lead; };
  for (const std::uint32_t depth : {1u, 4u}) {
    if (!kQueue && depth > 1) continue;
    KeepingEngine engine;
    write_over<TypeParam>(depth, engine);
    EXPECT_EQ(engine.blocks.size(), kRewrites) << "depth " << depth;
  }
}

template <class Loop>
class WriteContentUntimed : public ::testing::Test {};
using UntimedLoops =
    ::testing::Types<KeepingSync<Stamping::none>, KeepingSync<Stamping::none, true>, KeepingQueue<Stamping::none>>;
TYPED_TEST_SUITE(WriteContentUntimed, UntimedLoops);

TYPED_TEST(WriteContentUntimed, BlocksChangeOnlyNowAndThen) {
  KeepingEngine engine;
  write_over<TypeParam>(1, engine);
  EXPECT_GT(engine.blocks.size(), 1u);
  EXPECT_LT(engine.blocks.size(), kRewrites / 4);
}

workload::bytes::Contents anew(workload::bytes::Contents::Bytes bytes) {
  return {.write = workload::bytes::Contents::Write::anew, .bytes = bytes};
}

// effect: refill_buffers=1 fill=random
TEST(WriteContentRefilled, SharesNoWordsWithTheBlockBefore) {
  // refill_buffers=1, then fill=random
  for (const auto bytes : {workload::bytes::Contents::Bytes::streams, workload::bytes::Contents::Bytes::random}) {
    workload::bytes::Refill refill(anew(bytes), 1);
    KeepingEngine engine;
    write_over<KeepingSync<Stamping::fathom, true>>(1, engine, &refill);
    EXPECT_EQ(engine.blocks.size(), kRewrites);
    EXPECT_EQ(engine.words_alike, 0u);
  }
}

// effect: scramble_buffers=0
TEST(WriteContentKept, WithoutScramblingBuffersStayUnchanged) {
  const workload::bytes::Contents kept{.write = workload::bytes::Contents::Write::kept};
  for (const std::uint32_t depth : {1u, 4u}) {
    workload::bytes::Refill refill(kept, 1);
    KeepingEngine engine;
    write_over<KeepingQueue<Stamping::fathom, true>>(depth, engine, &refill);
    EXPECT_EQ(engine.blocks.size(), depth);
  }
}

}  // namespace
}  // namespace fathom::loops
