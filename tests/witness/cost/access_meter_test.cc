// What is read of the records of those that touch memory: accesses of all threads, how long major faults took, and the
// CPU time of processes that work, sleep, or are gone.
#include "witness/cost/access_meter.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/shared_memory.h"
#include "stats/histogram.h"

namespace fathom::witness::cost {
namespace {

using paging::Touchers;
using paging::sources::ThreadRecord;

class OfAccesses : public ::testing::Test {
 protected:
  void took(std::size_t thread, result::AccessClass which, result::AccessDir dir, std::uint64_t ns, int times) {
    auto& record = records_[thread];
    for (int i = 0; i < times; ++i)
      record.histograms[static_cast<std::size_t>(which)][static_cast<std::size_t>(dir)].raw.add(ns);
    record.head.live.accesses += static_cast<std::uint64_t>(times);
  }
  Touchers touchers(std::vector<int> pids = {}) const { return {{&records_[0], 2}, std::move(pids)}; }
  base::system::SharedArray<ThreadRecord> records_{2};
};

TEST_F(OfAccesses, CountsAllAndTellsMajorFaultsApart) {
  took(0, result::AccessClass::hit, result::AccessDir::read, 100, 30);
  took(0, result::AccessClass::major, result::AccessDir::read, 5000, 7);
  took(1, result::AccessClass::major, result::AccessDir::write, 5000, 5);
  took(1, result::AccessClass::minor, result::AccessDir::write, 900, 2);
  const auto reading = AccessMeter(touchers()).read();
  EXPECT_EQ(reading.ios, 44u);
  EXPECT_EQ(reading.job_ios, 44u);
  EXPECT_EQ(reading.latencies[stats::bucket_of(5000)], 12u);
  EXPECT_EQ(reading.latencies[stats::bucket_of(100)], 0u);
  EXPECT_EQ(reading.latencies[stats::bucket_of(900)], 0u);
}

TEST_F(OfAccesses, WithoutClassesHasTheLatenciesOfAll) {
  took(0, result::AccessClass::hit, result::AccessDir::read, 100, 30);
  auto all = touchers();
  all.classified = false;
  EXPECT_EQ(AccessMeter(all).read().latencies[stats::bucket_of(100)], 30u);
}

// A process that is reaped has no clock any more, and its time does not go back.
TEST_F(OfAccesses, CpuTimeIsOfAllProcessesAndStays) {
  const pid_t child = ::fork();
  if (child == 0) {
    volatile unsigned spun = 0;
    for (;;) spun = spun + 1;
  }
  AccessMeter meter(touchers({::getpid(), child}));
  const auto from = meter.read();
  EXPECT_TRUE(from.cpu_known);
  base::sleep_ns(100'000'000);
  const auto to = meter.read();
  EXPECT_GT(to.cpu_ns, from.cpu_ns);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GE(meter.read().cpu_ns, to.cpu_ns);
}

}  // namespace
}  // namespace fathom::witness::cost
