// Any source drives the loops: what it hands out is what the engine is asked for, in its order and over its passes, and
// it is asked once a block.
#include <gtest/gtest.h>

#include <vector>

#include "base/system/shared_memory.h"
#include "run/loop/queue_loop_slow.h"
#include "run/loop/sync_loop.h"

namespace fathom::loops {
namespace {

constexpr std::size_t kPerPass = 300, kPasses = 3, kBlock = workload::Source::kBlock;
constexpr std::uint32_t kBytes = 512, kDepth = 4;

// Backwards through a window, as no option of a job asks for.
class Backwards final : public workload::Source {
 public:
  std::size_t next(std::span<io::Request> out) override {
    ++calls;
    const std::size_t made = std::min(out.size(), kPerPass - at_);
    for (std::size_t i = 0; i < made; ++i) out[i] = {offset(at_ + i), 0, kBytes, 0, io::Dir::read, 0};
    at_ += made;
    return made;
  }
  bool begin_pass() override {
    at_ = 0;
    return ++passes < kPasses;
  }
  static std::uint64_t offset(std::size_t i) { return (kPerPass - 1 - i % kPerPass) * kBytes; }
  std::size_t calls = 0, passes = 0;

 private:
  std::size_t at_ = 0;
};

struct Journal {
  std::vector<std::uint64_t> offsets;
  std::int32_t do_one(const io::Request& request, std::byte*) {
    offsets.push_back(request.offset);
    return static_cast<std::int32_t>(request.length);
  }
};

struct QueueJournal {
  std::vector<std::uint64_t> offsets;
  std::vector<io::Completion> posted;
  std::size_t rung = 0;
  void post(std::uint32_t slot, const io::Request& request, std::byte*) {
    offsets.push_back(request.offset);
    posted.push_back({slot, static_cast<std::int32_t>(request.length)});
  }
  int ring(unsigned) { return static_cast<int>(posted.size() - std::exchange(rung, posted.size())); }
  int reap(unsigned, std::span<io::Completion> out) {
    const std::size_t n = std::min(out.size(), posted.size());
    std::copy_n(posted.begin(), n, out.begin());
    posted.erase(posted.begin(), posted.begin() + static_cast<std::ptrdiff_t>(n));
    rung = posted.size();
    return static_cast<int>(n);
  }
};

template <template <class> class Loop, class Engine>
void expect_all_of_it(std::uint32_t depth) {
  job::Job job;
  job.iodepth = depth;
  job.loops = 1;  // how many passes there are says the source
  const io::Target target{"", io::TargetKind::none, -1, 1 << 20, 0, 1 << 20};
  Backwards source;
  auto buffers = workload::bytes::BufferPool::make(depth, kBytes, 0);
  ASSERT_TRUE(buffers.ok());
  base::system::SharedArray<run::records::WorkerRecord> record(1);
  const std::atomic<std::uint32_t> stop{0};
  std::size_t new_passes = 0;
  run::loop::LoopContext context{
      .job = job,
      .targets = {&target, 1},
      .source = &source,
      .buffers = buffers->view(),
      .record = record[0],
      .stop = stop,
      .calibration = {},
      .new_pass = [&] { ++new_passes; },
      .ready = [] { return true; },
  };
  Engine engine;
  using Traits = run::loop::LoopTraits<Engine, clock::sources::MonotonicClock, run::loop::Stamping::fathom, false>;
  Loop<Traits>(engine, {}, context).run();
  ASSERT_EQ(engine.offsets.size(), kPerPass * kPasses);
  for (std::size_t i = 0; i < engine.offsets.size(); ++i) ASSERT_EQ(engine.offsets[i], Backwards::offset(i)) << i;
  EXPECT_EQ(record[0].measured.done.ios[0].get(), kPerPass * kPasses);
  EXPECT_TRUE(record[0].work_done);
  EXPECT_EQ(new_passes, kPasses - 1);
  EXPECT_EQ(source.calls, (kPerPass / kBlock + 2) * kPasses) << "once a block, and once to hear that a pass has ended";
}

TEST(AnySource, DrivesASynchronousLoopInItsOrder) { expect_all_of_it<run::loop::SyncLoop, Journal>(1); }
TEST(AnySource, DrivesAQueueLoopInItsOrder) { expect_all_of_it<run::loop::QueueLoop, QueueJournal>(kDepth); }

}  // namespace
}  // namespace fathom::loops
