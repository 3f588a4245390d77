// --settle: the decision on made-up samples, and one real wait that Ctrl-C cuts short.
#include "host/settle.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "host/placement/placement.h"
#include "host/settle_judge.h"

namespace fathom::host {
namespace {

using Verdict = SettleJudge::Verdict;

// A machine of two CPUs at 100 ticks a second, sampled every half second.
class SampledMachine {
 public:
  SettleSample after(double busy_percent, std::uint64_t ios, std::uint64_t bytes = 0) {
    now_.t_s += 0.5;
    now_.cpu_total += 100;
    now_.cpu_busy += static_cast<std::uint64_t>(busy_percent);
    now_.disk_ios += ios;
    now_.disk_bytes += bytes;
    return now_;
  }
  SettleSample start() const { return now_; }

 private:
  SettleSample now_{1000.0, 5, 10, 77, 88};
};

TEST(SettleJudge, AQuietMachineSettlesAfterThreeIntervals) {
  SampledMachine m;
  SettleJudge judge({});
  EXPECT_EQ(judge.add(m.start()), Verdict::wait);
  EXPECT_EQ(judge.add(m.after(1, 0)), Verdict::wait);
  EXPECT_EQ(judge.add(m.after(2, 1, 4096)), Verdict::wait);
  EXPECT_EQ(judge.add(m.after(3, 2, 4096)), Verdict::settled);
  const auto r = judge.result();
  EXPECT_TRUE(r.asked);
  EXPECT_TRUE(r.settled);
  EXPECT_DOUBLE_EQ(r.waited_s, 1.5);
  EXPECT_DOUBLE_EQ(r.background_cpu_percent, 2.0);
  EXPECT_DOUBLE_EQ(r.background_disk_iops, 2.0);
  EXPECT_DOUBLE_EQ(r.background_disk_bytes_per_s, 8192 / 1.5);
}

TEST(SettleJudge, ProgressHasTheLoadAndTheTimeLeft) {
  SampledMachine m;
  SettleJudge judge({});
  judge.add(m.start());
  EXPECT_FALSE(judge.progress().seen);
  EXPECT_DOUBLE_EQ(judge.progress().still_s, 1.5);
  judge.add(m.after(1, 0));
  EXPECT_DOUBLE_EQ(judge.progress().quiet_s, 0.5);
  EXPECT_DOUBLE_EQ(judge.progress().still_s, 1.0);
  judge.add(m.after(40, 60));
  const auto p = judge.progress();
  EXPECT_TRUE(p.seen);
  EXPECT_DOUBLE_EQ(p.cpu_percent, 40);
  EXPECT_DOUBLE_EQ(p.disk_iops, 120);
  EXPECT_DOUBLE_EQ(p.quiet_s, 0);
  EXPECT_DOUBLE_EQ(p.still_s, 1.5);
  EXPECT_DOUBLE_EQ(p.waited_s, 1.0);
  EXPECT_DOUBLE_EQ(p.gives_up_s, 59.0);
}

TEST(SettleJudge, OneBusyIntervalRestartsTheCount) {
  for (const bool disk : {false, true}) {
    SampledMachine m;
    SettleJudge judge({});
    judge.add(m.start());
    judge.add(m.after(0, 0));
    judge.add(m.after(0, 0));
    EXPECT_EQ(judge.add(disk ? m.after(0, 100) : m.after(50, 0)), Verdict::wait);
    EXPECT_EQ(judge.add(m.after(0, 0)), Verdict::wait);
    EXPECT_EQ(judge.add(m.after(0, 0)), Verdict::wait);
    EXPECT_EQ(judge.add(m.after(0, 0)), Verdict::settled);
    EXPECT_DOUBLE_EQ(judge.result().background_cpu_percent, 0.0);  // the busy one lies before the window
  }
}

TEST(SettleJudge, ABusyMachineIsGivenUpWithItsLoadRecorded) {
  SampledMachine m;
  SettleJudge judge({.give_up_s = 2.0});
  judge.add(m.start());
  EXPECT_EQ(judge.add(m.after(40, 50, 51200)), Verdict::wait);
  EXPECT_EQ(judge.add(m.after(40, 50, 51200)), Verdict::wait);
  EXPECT_EQ(judge.add(m.after(40, 50, 51200)), Verdict::wait);
  EXPECT_EQ(judge.add(m.after(40, 50, 51200)), Verdict::gave_up);
  const auto r = judge.result();
  EXPECT_FALSE(r.settled);
  EXPECT_DOUBLE_EQ(r.waited_s, 2.0);
  EXPECT_DOUBLE_EQ(r.background_cpu_percent, 40.0);
  EXPECT_DOUBLE_EQ(r.background_disk_iops, 100.0);
  EXPECT_DOUBLE_EQ(r.background_disk_bytes_per_s, 102400.0);
}

TEST(SettleJudge, ExactlyAtTheLimitIsQuiet) {
  SampledMachine m;
  SettleJudge judge({.quiet_intervals = 1});
  judge.add(m.start());
  EXPECT_EQ(judge.add(m.after(5, 2)), Verdict::settled);
}

TEST(SettleJudge, WithoutAnIntervalThereIsNoRate) {
  SampledMachine m;
  SettleJudge judge({});
  EXPECT_FALSE(judge.result().settled);
  judge.add(m.start());
  judge.add(m.start());
  EXPECT_DOUBLE_EQ(judge.result().background_disk_iops, 0.0);
  EXPECT_DOUBLE_EQ(judge.result().background_cpu_percent, 0.0);
}

TEST(Settle, SamplesThisMachine) {
  const auto disks = placement::disks_of({placement::place("/")});
  const std::atomic<std::uint32_t> stop{0};
  const auto r = settle(disks, {.cpu_percent = 100, .disk_iops = 1e9, .interval_s = 0.05, .quiet_intervals = 2}, stop);
  EXPECT_TRUE(r.settled);
  EXPECT_GE(r.waited_s, 0.1);
  EXPECT_LE(r.background_cpu_percent, 100.0);
}

TEST(Settle, StopsWhenAsked) {
  const std::vector<std::string> disks;
  std::atomic<std::uint32_t> stop{0};
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop = 1;
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto r = settle(disks, {.cpu_percent = -1, .interval_s = 600}, stop);
  later.join();
  EXPECT_TRUE(r.asked);
  EXPECT_FALSE(r.settled);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace
}  // namespace fathom::host
