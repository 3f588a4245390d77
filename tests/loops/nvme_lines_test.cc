// Where the data of an I/O lies in the run loop, the engine and the driver's queue pair, by address: what each I/O has
// for itself begins its own cache line and fills it. Under nvme_lines_test.py (FATHOM_LINES_DEVICE) the same job runs
// on a device in another process while every access to memory is written down, and the ranges printed here say what
// each access was to.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/system/shared_memory.h"
#include "engine/userspace/nvme_devices.h"
#include "loops/flow.h"
#include "loops/nvme.h"
#include "run/files/open_files.h"

namespace fathom::loops {
namespace {

using Engine = engine::userspace::NvmeEngine<engine::userspace::kDeepPolicy>;
using NvmeTraits = run::loop::LoopTraits<Engine, clock::sources::CpuClock, Stamping::fathom, false>;
using Loop = run::loop::QueueLoop<NvmeTraits>;

// Members that are nobody else's business, named where access is not checked: in an explicit instantiation.
template <class Tag, auto kMember>
struct Shown {
  friend constexpr auto shown(Tag) { return kMember; }
};
#define FATHOM_SHOW(Tag, Class, member) \
  struct Tag {                          \
    friend constexpr auto shown(Tag);   \
  };                                    \
  template struct Shown<Tag, &Class::member>
using Core = run::loop::LoopCore<Loop, NvmeTraits>;
FATHOM_SHOW(Block, Core, block_);
FATHOM_SHOW(Slots, Loop, slots_);
FATHOM_SHOW(FreeSlots, Loop, free_);
FATHOM_SHOW(Completions, Loop, completions_);
#undef FATHOM_SHOW

struct EngineMembers : Engine {
  static constexpr auto lanes() { return &EngineMembers::lanes_; }
  static nvme::QueueCore* queue_of(const Engine& engine) { return (engine.*lanes())[0].queue; }
  static const void* lane_of(const Engine& engine) { return &(engine.*lanes())[0]; }
};
struct QueueMembers : nvme::QueueCore {
  static std::uint64_t trackers(const QueueCore& q) {
    return reinterpret_cast<std::uint64_t>(q.*&QueueMembers::trackers_);
  }
  static std::uint64_t free_cids(const QueueCore& q) {
    return reinterpret_cast<std::uint64_t>(q.*&QueueMembers::free_);
  }
  static std::uint64_t sq(const QueueCore& q) { return reinterpret_cast<std::uint64_t>(q.*&QueueMembers::sq_); }
  static std::uint64_t cq(const QueueCore& q) { return reinterpret_cast<std::uint64_t>(q.*&QueueMembers::cq_); }
  static std::uint64_t sq_doorbell(const QueueCore& q) {
    return reinterpret_cast<std::uint64_t>(q.*&QueueMembers::sq_doorbell_);
  }
  static std::uint64_t cq_doorbell(const QueueCore& q) {
    return reinterpret_cast<std::uint64_t>(q.*&QueueMembers::cq_doorbell_);
  }
};

constexpr std::uint64_t kQueueDepth = 128;

struct Range {
  const char* name;
  std::uint64_t begin, bytes;
};

std::vector<Range> ranges_of(const Loop& loop, const Engine& engine, const LoopContext& context) {
  const auto& queue = *EngineMembers::queue_of(engine);
  const auto at = [](const void* p) { return reinterpret_cast<std::uint64_t>(p); };
  const auto& block = loop.*shown(Block{});
  return {
      {"slots", at((loop.*shown(Slots{})).get()), kQueueDepth * 64},
      {"requests", at(&block), sizeof block},
      {"trackers", QueueMembers::trackers(queue), kQueueDepth * sizeof(nvme::Tracker)},
      {"free slots", at((loop.*shown(FreeSlots{})).get()), kQueueDepth * sizeof(std::uint32_t)},
      {"completions", at((loop.*shown(Completions{})).get()), kQueueDepth * sizeof(io::Completion)},
      {"free CIDs", QueueMembers::free_cids(queue), kQueueDepth * sizeof(std::uint16_t)},
      {"submission doorbell", QueueMembers::sq_doorbell(queue), 4},
      {"completion doorbell", QueueMembers::cq_doorbell(queue), 4},
      {"submission ring", QueueMembers::sq(queue), queue.entries() * sizeof(nvme::Command)},
      {"completion ring", QueueMembers::cq(queue), queue.cq_entries() * sizeof(nvme::Completion)},
      {"payload", at(context.buffers.base), kQueueDepth * context.buffers.stride},
      {"loop", at(&loop), sizeof loop},
      {"engine", at(&engine), sizeof engine},
      {"queue pair", at(&queue), sizeof(nvme::QueuePair<engine::userspace::kDeepPolicy>)},
      {"lane", at(EngineMembers::lane_of(engine)), 64},
      {"record", at(&context.record), sizeof context.record},
  };
}

// What each I/O, or each turn of the loop, has for itself: its first line is its own.
constexpr std::string_view kAligned[] = {"slots",           "trackers",   "requests", "submission ring",
                                         "completion ring", "queue pair", "loop",     "lane"};

void expect_lines_of_their_own(const std::vector<Range>& ranges) {
  for (const auto& range : ranges) {
    EXPECT_NE(range.begin, 0u) << range.name;
    if (std::find(std::begin(kAligned), std::end(kAligned), range.name) == std::end(kAligned)) continue;
    EXPECT_EQ(range.begin % 64, 0u) << range.name;
  }
}

TEST(NvmeLines, PerIoDataFillsWholeCacheLines) {
  const char* outside = std::getenv("FATHOM_LINES_DEVICE");
  const std::string device = outside != nullptr ? outside : "soft:id=77,ideal,step";
  auto jobs = parse_jobs(
      "[n]\nioengine=nvme\nthread\nrw=randread\nnorandommap\niodepth=128\niodepth_batch=128\niodepth_batch_complete_"
      "max=128\nnumber_ios=6400\nsize=512m\nfilename=" +
      device + "\n");
  auto plans = run::plan_jobs(jobs);
  ASSERT_TRUE(plans.ok()) << plans.error().what << plans.error().cause;
  auto& plan = plans->at(0);
  auto open = run::files::open_targets(plan);
  ASSERT_TRUE(open.ok());
  std::atomic<std::uint32_t> stop{0};
  base::system::SharedArray<run::records::WorkerRecord> record(1);
  workload::Stream stream(plan.job, open->targets, 0);
  auto buffers = workload::bytes::BufferPool::make(plan.job.iodepth, stream.largest_request(), 1, true);
  LoopContext context{
      .job = plan.job,
      .targets = open->targets,
      .source = &stream,
      .buffers = buffers->view(),
      .record = record[0],
      .stop = stop,
      .calibration = clock::sources::calibrate(clock::sources::Source::cpu),
      .ready = [] { return true; },
  };
  {
    Engine engine;
    const auto opened = engine.open(setup_of(context, kQueueDepth));
    ASSERT_TRUE(opened.ok()) << opened.error().what;
    Loop loop(engine, {}, context);
    const auto ranges = ranges_of(loop, engine, context);
    expect_lines_of_their_own(ranges);
    for (const auto& range : ranges) fmt::print("range {:#x} {} {}\n", range.begin, range.bytes, range.name);
    fmt::print("ranges end\n");
    std::fflush(stdout);
    loop.run();
    engine.close();
  }
  EXPECT_EQ(record[0].measured.done.ios[0].get(), 6400u);
  EXPECT_EQ(record[0].error, 0);
  engine::userspace::close_nvme_devices();
}

// What the path touches of the queue pair: one line for submission, one for completion.
TEST(NvmeLines, SubmissionAndCompletionHaveACacheLineEach) {
  const auto layout = nvme::QueueCore::layout();
  EXPECT_EQ(layout.submit_line % 64, 0u);
  EXPECT_EQ(layout.complete_line % 64, 0u);
  EXPECT_EQ(layout.complete_line - layout.submit_line, 64u);
  EXPECT_LT(layout.free_count - layout.submit_line, 64u);
}

}  // namespace
}  // namespace fathom::loops
