// A job that is slowed down by one watcher, and by another not: each has its own cost. One that cannot be switched on
// says why, and the others have their turns. In real time, and so with wide limits.
#include "witness/cost/cost_driver.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/attempts.h"
#include "base/error.h"
#include "base/system/shared_memory.h"
#include "base/time.h"
#include "witness/cost/job_meter.h"

namespace fathom::witness::cost {
namespace {

using pmu::trace::programs::Sliced;

class Switch : public Sliced {
 public:
  explicit Switch(std::atomic<int>& on, std::atomic<int>& turns, bool works = true)
      : on_(on), turns_(turns), works_(works) {}
  base::Expected<void> attach() override {
    ++turns_;
    if (works_) return {};
    return base::system_error("switch it on", EACCES);
  }
  void detach() override {}
  void watch(bool on) override { on_ = on; }
  bool any_in_flight() override { return false; }
  void give_up() override {}

 private:
  std::atomic<int>&on_, &turns_;
  bool works_;
};

// An I/O takes 100 us, a dear one 150.
class Job {
 public:
  Job() : thread_([this] { work(); }) {}
  ~Job() {
    stop_ = true;
    thread_.join();
  }
  std::atomic<int> dear{0}, cheap{0}, turns[3] = {};
  base::system::SharedArray<run::records::WorkerRecord> records{1};

 private:
  void work() {
    records[0].pid = ::getpid();
    records[0].tid = ::gettid();
    std::uint64_t at = base::monotonic_ns();
    while (!stop_) {
      at += dear != 0 ? 150'000 : 100'000;
      for (auto now = base::monotonic_ns(); now < at; now = base::monotonic_ns())
        if (at - now > 60'000) base::sleep_ns(1000);
      if (base::monotonic_ns() > at + 10'000'000) at = base::monotonic_ns();
      records[0].measured.done.ios[0].add(1);
    }
  }
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST_IN_ATTEMPTS(CostDriver, TellsWhichWatcherCostsWhat) {
  Job job;
  std::vector<Watcher> watchers;
  watchers.push_back({"dear", std::make_unique<Switch>(job.dear, job.turns[0]), ""});
  watchers.push_back({"cheap", std::make_unique<Switch>(job.cheap, job.turns[1]), ""});
  watchers.push_back({"broken", std::make_unique<Switch>(job.cheap, job.turns[2], false), ""});
  watchers.push_back({"missing", nullptr, "there is none"});
  CostDriver driver(std::move(watchers), {{"t", 0, JobMeter({{&job.records[0], {}}}, std::nullopt), false}});
  driver.begin();
  base::sleep_ns(4'000'000'000);
  driver.end();
  const auto rows = driver.costs();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].watcher, "dear");
  EXPECT_EQ(rows[0].job, "t");
  EXPECT_EQ(rows[0].cost.from, result::CostFrom::cost_run);
  EXPECT_EQ(rows[0].cost.by, result::CostBy::rate);
  EXPECT_NEAR(rows[0].cost.rate.share, 1.0 / 3, 0.1);
  EXPECT_NEAR(rows[1].cost.rate.share, 0, 0.1);
  EXPECT_GE(rows[0].cost.slices, 3u);
  EXPECT_GE(rows[1].cost.slices, 3u);
  EXPECT_LE(std::abs(job.turns[0] - job.turns[1]), 2) << "each has its turn before any has its next";
  EXPECT_EQ(job.turns[2], 1);
  EXPECT_EQ(rows[2].job, "");
  EXPECT_NE(rows[2].cost.cause.find("switch it on"), std::string::npos) << rows[2].cost.cause;
  EXPECT_EQ(rows[3].cost.cause, "there is none");
  EXPECT_EQ(job.dear + job.cheap, 0) << "all is off";
}

TEST(CostDriver, WithoutAWatcherDoesNothing) {
  std::vector<Watcher> watchers;
  watchers.push_back({"missing", nullptr, "there is none"});
  CostDriver driver(std::move(watchers), {});
  driver.begin();
  driver.end();
  EXPECT_EQ(driver.costs().size(), 1u);
}

TEST(ToResult, AShareOfACostHasThatShareOfItsInterval) {
  stats::PairedCost cost;
  cost.slices = 20;
  cost.rate = {0.2, 0.05, 20};
  cost.p50 = {0.3, 0.05, 20};
  cost.cpu = {0.1, 0.02, 20};
  cost.cpu_ns = {400, 50, 20};
  auto whole = to_result(cost, true);
  EXPECT_EQ(whole.by, result::CostBy::p50);
  EXPECT_DOUBLE_EQ(whole.p50.share, 0.3);
  auto tenth = to_result(cost, true, 0.1);
  EXPECT_EQ(tenth.by, result::CostBy::cpu) << "a median is no sum";
  EXPECT_LT(tenth.p50.half_width, 0);
  EXPECT_DOUBLE_EQ(tenth.cpu.share, 0.01);
  EXPECT_DOUBLE_EQ(tenth.cpu_per_io.half_width_ns, 5);
  EXPECT_EQ(to_result(cost, false, 0.1).by, result::CostBy::rate);
  EXPECT_EQ(to_result({}, false).by, result::CostBy::nothing);
}

}  // namespace
}  // namespace fathom::witness::cost
