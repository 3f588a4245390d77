// After its start a worker does not allocate: every operator new between the start signal and the end of the last I/O
// is counted.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/system/shared_memory.h"
#include "engine/userspace/nvme_devices.h"
#include "loops/flow.h"
#include "run/files/open_files.h"

namespace {
std::atomic<bool> g_counting{false};
std::atomic<std::uint64_t> g_allocations{0};
void* counted(std::size_t n) {
  if (g_counting.load(std::memory_order_relaxed)) g_allocations.fetch_add(1);
  if (void* p = std::malloc(n)) return p;
  throw std::bad_alloc();
}
}  // namespace
void* operator new(std::size_t n) { return counted(n); }
void* operator new[](std::size_t n) { return counted(n); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace fathom::loops {
namespace {

std::uint64_t allocations_of(const std::string& text) {
  auto jobs = parse_jobs(text);
  auto plans = run::plan_jobs(jobs);
  EXPECT_TRUE(plans.ok());
  auto& plan = plans->at(0);
  std::atomic<std::uint32_t> stop{0};
  EXPECT_TRUE(run::files::lay_out(plan, {}, stop).ok());
  auto open = run::files::open_targets(plan);
  EXPECT_TRUE(open.ok());
  base::system::SharedArray<run::records::WorkerRecord> record(1);
  workload::Stream stream(plan.job, open->targets, 0);
  auto buffers = workload::bytes::BufferPool::make(plan.job.iodepth, stream.largest_request(), 1, true);
  const auto ready = [] {
    g_allocations = 0;
    g_counting = true;
    return true;
  };
  run::loop::LoopContext context{
      .job = plan.job,
      .targets = open->targets,
      .source = &stream,
      .buffers = buffers->view(),
      .record = record[0],
      .stop = stop,
      .calibration = clock::sources::calibrate(clock::sources::Source::cpu),
      .at_end = [] { g_counting = false; },  // the last I/O is over; closing a device may allocate
      .ready = ready,
  };
  const auto ok = find_loop(plan.job.ioengine)(context);
  g_counting = false;
  EXPECT_TRUE(ok.ok()) << (ok.ok() ? "" : ok.error().what);
  std::uint64_t ios = 0;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) ios += record[0].measured.done.ios[d].get();
  EXPECT_GT(ios, 500u) << text;
  EXPECT_EQ(record[0].error, 0) << text;
  run::files::unlink_targets(plan);
  return g_allocations;
}

class NoAllocation : public ::testing::TestWithParam<const char*> {};

TEST_P(NoAllocation, WorkersDoNotAllocateAfterTheStart) {
  char directory[] = "/tmp/fathom-alloc-XXXXXX";
  ASSERT_NE(::mkdtemp(directory), nullptr);
  const std::string common = std::string("[t]\ndirectory=") + directory + "\nsize=4m\nioengine=" + GetParam() + "\n";
  EXPECT_EQ(allocations_of(common + "rw=randrw\n"), 0u);
  EXPECT_EQ(allocations_of(common + "rw=randrw\niodepth=16\nbssplit=4k/50:8k\nfsync=300\nloops=2\n"), 0u);
  EXPECT_EQ(allocations_of(common + "rw=randread\nrandom_distribution=zipf:1.1\nrate_iops=20000\nloops=2\n"), 0u);
  ::rmdir(directory);
}
// Rings, trackers and the requests that wait for a slot are there before the start; splits and a ring that is too small
// take from them.
TEST(NoAllocationNvme, WorkersDoNotAllocateAfterTheQueuePairIsMade) {
  for (const std::string device :
       {"soft:id=1,step,mdts=1,size=16m", "soft:id=2,mdts=1,size=16m", "soft:id=3,ideal,size=16m"}) {
    const bool stepped = device.find("step") != std::string::npos;  // the other two need a CPU of their own to be quick
    const std::string common = std::string("[t]\nioengine=nvme\nthread\nsize=4m\nfilename=") + device + "\n";
    allocations_of(common +
                   "rw=randrw\nbs=32k\niodepth=64\nloops=5\n");  // the device in software grows its own lists once
    if (stepped) {
      EXPECT_EQ(allocations_of(common + "rw=randrw\n"), 0u) << device;
    }
    EXPECT_EQ(allocations_of(common + "rw=randwrite\niodepth=128\niodepth_batch=128\niodepth_batch_complete_max=128\n"),
              0u)
        << device;
    if (!stepped) continue;
    EXPECT_EQ(
        allocations_of(common + "rw=randrw\niodepth=32\nbssplit=4k/50:32k\nfsync=50\nloops=4\nnvme_queue_entries=8\n"),
        0u)
        << device;
    EXPECT_EQ(allocations_of(common + "rw=randtrim\niodepth=16\n"), 0u) << device;
    EXPECT_EQ(allocations_of(common + "rw=randread\niodepth=16\nrate_iops=20000\nloops=2\n"), 0u) << device;
  }
  engine::userspace::close_nvme_devices();
}
INSTANTIATE_TEST_SUITE_P(Engines, NoAllocation,
                         ::testing::Values("null", "sync", "psync", "pvsync2", "mmap", "libaio", "io_uring", "sim"));

}  // namespace
}  // namespace fathom::loops
