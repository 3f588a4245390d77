// io_submit_mode=offload: whole jobs, done by several threads.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/attempts.h"
#include "engine/one_aio_thread.h"
#include "loops/flow.h"

namespace fathom::loops {
namespace {

class OffloadFlow : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/var/tmp/fathom-offload-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string job(const std::string& text, const std::string& name = "t") const {
    return "[" + name + "]\ndirectory=" + directory_ + "\n" + text;
  }
  std::string directory_;
};

// Every engine does the same work, once.
// effect: io_submit_mode
TEST_F(OffloadFlow, LanesDoTheWorkOfOneJob) {
  for (const char* engine : {"psync", "sync", "vsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap", "null"})
    for (const std::string thread : {"", "thread\n"}) {
      if (!thread.empty() && std::string(engine) != "psync" && std::string(engine) != "io_uring") continue;
      const auto run = run_text(job(std::string("io_submit_mode=offload\nioengine=") + engine +
                                    "\nrw=randrw\nsize=1m\niodepth=4\n" + thread));
      const auto& t = run.jobs.at(0);
      EXPECT_EQ(t.error, 0) << engine << (t.errors.empty() ? "" : t.errors[0].message);
      EXPECT_EQ(t.dirs[0].ios + t.dirs[1].ios, 256u) << engine;
      EXPECT_EQ(t.dirs[0].bytes + t.dirs[1].bytes, 1u << 20) << engine;
      EXPECT_EQ(t.dirs[0].clat.moments_ns.n, t.dirs[0].ios) << engine;
      EXPECT_EQ(t.dirs[0].clat.histogram_ns.total(), t.dirs[0].ios) << engine;
      EXPECT_EQ(t.iodepth, 4u);
    }
}

// The requests are those of the job without offload: each block of a random job once, then anew in every loop.
TEST_F(OffloadFlow, EachBlockIsVisitedOnceALoop) {
  const auto run =
      run_text(job("io_submit_mode=offload\nioengine=psync\nrw=randread\nsize=1m\niodepth=8\nloops=3\nwrite_iops_log=" +
                   directory_ + "/l\nlog_offset=1\n"));
  EXPECT_EQ(run.jobs.at(0).dirs[0].ios, 768u);
  std::ifstream log(directory_ + "/l_iops.1.log");
  std::multiset<std::string> offsets;
  for (std::string line; std::getline(log, line);) {
    std::size_t at = 0;
    for (int comma = 0; comma < 4; ++comma) at = line.find(',', at) + 1;
    offsets.insert(line.substr(at, line.find(',', at) - at));
  }
  EXPECT_EQ(offsets.size(), 768u) << "a row each";
  for (const auto& offset : offsets) EXPECT_EQ(offsets.count(offset), 3u);
}

// A rate holds for the job, and what is due is not held up by an I/O that takes its time.
TEST_F(OffloadFlow, TimedRateIopsIsOfTheJobNotOfALane) {
  steady::attempts([&] {
    const auto run = run_text(
        job("io_submit_mode=offload\nioengine=null\nrw=read\nsize=1g\niodepth=4\nrate_iops=2000\nruntime=300ms\n"));
    EXPECT_NEAR(static_cast<double>(run.jobs.at(0).dirs[0].ios), 600, 30);
    EXPECT_NEAR(static_cast<double>(run.jobs.at(0).dirs[0].runtime_ns), 300.0 * kMs, 20.0 * kMs);
  });
}

TEST_F(OffloadFlow, TimedThinktimeIsOfTheJobNotOfALane) {
  steady::attempts([&] {
    const auto run =
        run_text(job("io_submit_mode=offload\nioengine=null\nrw=read\nsize=80k\niodepth=4\nthinktime=5ms\n"
                     "thinktime_blocks=2\n"));
    const auto& t = run.jobs.at(0);
    EXPECT_EQ(t.dirs[0].ios, 20u);
    EXPECT_GE(t.dirs[0].runtime_ns, 15 * kMs) << "two I/Os, and what the other three lanes have in flight, and a pause";
    EXPECT_LT(t.dirs[0].lat.moments_ns.max, 5 * kMs) << "nobody's latency";
  });
}

TEST_F(OffloadFlow, TimedRampAndRuntimeHoldForAllLanes) {
  steady::attempts([&] {
    const auto run =
        run_text(job("io_submit_mode=offload\nioengine=psync\nrw=randread\nsize=1m\niodepth=4\n"
                     "time_based\nruntime=200ms\nramp_time=100ms\n"));
    const auto& d = run.jobs.at(0).dirs[0];
    EXPECT_NEAR(static_cast<double>(d.runtime_ns), 200.0 * kMs, 60.0 * kMs);
    EXPECT_GT(d.moved_ios, d.ios) << "those of the ramp";
    EXPECT_EQ(d.lat.moments_ns.n, d.ios);
  });
}

// One lane meets the end of the device: the job fails as a whole, and soon.
TEST_F(OffloadFlow, OneLaneThatFailsEndsTheJob) {
  std::filesystem::create_directory(directory_ + "/d");
  const auto run = run_text(
      "[t]\nfilename=/dev/full\nio_submit_mode=offload\nioengine=psync\nrw=write\nsize=1g\n"
      "iodepth=4\n");
  const auto& t = run.jobs.at(0);
  EXPECT_EQ(t.error, ENOSPC);
  EXPECT_LE(t.dirs[1].ios, 0u);
  EXPECT_GE(t.error_count, 1u);
  EXPECT_LE(t.error_count, 4u);
}

// Two jobs that write one block, all lanes of both: one I/O at a time, so the times of all I/Os together are no more
// than the time that went by.
// effect: serialize_overlap lockfile
TEST_F(OffloadFlow, TimedSerializeOverlapKeepsOverlappingIosOfTwoJobsApart) {
  steady::attempts([&] {
    const auto busy = [&](const std::string& more) {
      const std::string common =
          "[global]\ndirectory=" + directory_ +
          "\nfilename=f\nioengine=psync\nrw=write\nbs=256k\nsize=256k\nio_size=1t\nruntime=300ms\n"
          "iodepth=4\nio_submit_mode=offload\n" +
          more + "[a]\n[b]\n";
      const auto run = run_text(common);
      double sum = 0;
      for (const auto& t : run.jobs) {
        EXPECT_EQ(t.error, 0);
        EXPECT_GT(t.dirs[1].ios, 0u) << "each gets its turn";
        sum += static_cast<double>(t.dirs[1].lat.moments_ns.sum);
      }
      return sum / (300.0 * kMs);
    };
    EXPECT_GT(busy(""), 2) << "several in flight";
    EXPECT_LT(busy("serialize_overlap=1\n"), 1.1);
    EXPECT_LT(busy("lockfile=exclusive\n"), 1.1);
    EXPECT_LT(busy("lockfile=readwrite\n"), 1.1) << "writes are alone";
  });
}

// Without offload too, of a synchronous engine and of one with a queue.
TEST_F(OffloadFlow, TimedLockfileLocksTheFileAroundEachIo) {
  steady::attempts([&] {
    for (const char* engine : {"psync", "libaio"}) {
      const auto run =
          run_text("[global]\ndirectory=" + directory_ + "\nfilename=f\nioengine=" + engine +
                   "\nrw=randwrite\nbs=256k\nsize=1m\ntime_based\nruntime=200ms\nlockfile=exclusive\n[a]\n[b]\n");
      double sum = 0;
      for (const auto& t : run.jobs) {
        EXPECT_GT(t.dirs[1].ios, 0u) << engine;
        sum += static_cast<double>(t.dirs[1].lat.moments_ns.sum);
      }
      EXPECT_LT(sum / (200.0 * kMs), 1.1) << engine;
    }
  });
}

}  // namespace
}  // namespace fathom::loops
