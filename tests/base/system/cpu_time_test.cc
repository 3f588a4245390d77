// Held against a thread's and a process's own clocks: of a thread that spins, of one that sleeps, of a child.
#include "base/system/cpu_time.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/attempts.h"
#include "base/time.h"

namespace fathom::base::system {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST(CpuTime, OfAThreadIsItsOwnClocks) {
  timespec before{}, after{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  const auto seen = cpu_time_ns(::getpid(), ::gettid());
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  ASSERT_TRUE(seen);
  const auto ns = [](const timespec& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * 1000 * kMs + static_cast<std::uint64_t>(t.tv_nsec);
  };
  EXPECT_GE(*seen, ns(before));
  EXPECT_LE(*seen, ns(after));
}

TEST(CpuTime, OfAThreadThatSleepsDoesNotMove) {
  std::atomic<int> tid{0};
  std::atomic<bool> stop{false};
  std::thread sleeper([&] {
    tid = ::gettid();
    while (!stop) sleep_ns(200 * kMs);
  });
  while (tid == 0) sleep_ns(kMs);
  sleep_ns(20 * kMs);
  const auto from = cpu_time_ns(::getpid(), tid);
  sleep_ns(50 * kMs);
  const auto to = cpu_time_ns(::getpid(), tid);
  stop = true;
  sleeper.join();
  ASSERT_TRUE(from && to);
  EXPECT_LT(*to - *from, kMs);
  // join() returns when the thread has left its memory; its entry in /proc goes a little later.
  const auto until = monotonic_ns() + 60'000 * kMs;
  while (cpu_time_ns(::getpid(), tid) && monotonic_ns() < until) sleep_ns(kMs);
  EXPECT_FALSE(cpu_time_ns(::getpid(), tid)) << "it is gone";
}

// Behind by a tick at most, of which the longest is 10 ms.
TEST_IN_ATTEMPTS(CpuTime, OfAChildIsCloserThanTwoTicks) {
  const int child = ::fork();
  if (child == 0)
    for (;;) {
      const auto until = monotonic_ns() + 20 * kMs;
      while (monotonic_ns() < until) {
      }
      sleep_ns(20 * kMs);
    }
  sleep_ns(30 * kMs);
  const auto from = cpu_time_ns(child, 0);
  const std::uint64_t from_ns = monotonic_ns();
  sleep_ns(400 * kMs);
  const auto to = cpu_time_ns(child, 0);
  const double share = static_cast<double>(*to - *from) / static_cast<double>(monotonic_ns() - from_ns);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GT(share, 0.1) << "half, on a machine that has nothing else to do";
  EXPECT_LT(share, 0.65);
  EXPECT_FALSE(cpu_time_ns(child, 0)) << "it is gone";
}

TEST(CpuTime, OfNobodyIsNone) { EXPECT_FALSE(cpu_time_ns(0, 0)); }

}  // namespace
}  // namespace fathom::base::system
