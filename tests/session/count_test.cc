// One run of a command under counters in software: what is said, what is frozen, what stays open, who gets a signal.
#include "session/count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <thread>

#include "base/attempts.h"
#include "pmu/one_counter_pmu.h"

namespace fathom::session {
namespace {

using pmu::OneCounterPmu;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

double steady(std::uint64_t, double from_ns, double to_ns) { return 1e-3 * (to_ns - from_ns); }

pmu::events::Event event_of(std::uint32_t type = 60) {
  pmu::events::Event event;
  event.name = "soft/a/";
  event.pmu = "soft";
  event.type = type;
  event.reach = pmu::events::Reach::system;
  event.cpus = {0};
  return event;
}

CountPlan plan_of(std::vector<pmu::events::Event> events, std::vector<std::string> command) {
  CountPlan plan;
  plan.events = std::move(events);
  plan.command = std::move(command);
  plan.on_interval = [](double, const auto&) { return true; };
  plan.calls = &OneCounterPmu::calls();
  return plan;
}

Counted count(const CountPlan& plan) {
  bool not_started = false;
  auto counted = count_once(plan, not_started);
  EXPECT_TRUE(counted) << (counted ? "" : counted.error().what);
  return counted ? std::move(*counted) : Counted{};
}

// A tree of sysfs in which the PMU has its folder.
class Tree {
 public:
  Tree() {
    char name[] = "/tmp/fathom-stat-XXXXXX";
    root_ = ::mkdtemp(name);
    std::filesystem::create_directories(pmu());
  }
  ~Tree() { std::filesystem::remove_all(root_); }
  std::string root() const { return root_; }
  std::string pmu() const { return root_ + "/sys/bus/event_source/devices/soft"; }

 private:
  std::string root_;
};

TEST(CountOnce, CountersStayOpenUntilTheReportIsDone) {
  for (const bool slots : {false, true}) {
    OneCounterPmu pmu(steady);
    auto plan = plan_of({event_of()}, {"true"});
    if (slots) plan.slots.emplace();
    auto counted = count(plan);
    EXPECT_EQ(pmu.open_now(), 1) << slots;
    counted = Counted{};
    EXPECT_EQ(pmu.open_now(), 0) << slots;
  }
}

TEST(CountOnce, ARefusedGroupIsReportedForAnyType) {
  for (const std::uint32_t type : {60u, static_cast<std::uint32_t>(PERF_TYPE_RAW)}) {
    OneCounterPmu pmu(steady, 2);
    pmu.refuse_groups();
    std::vector<pmu::events::Event> events = {event_of(type), event_of(type)};
    for (auto& event : events) event.group = 0;
    const auto counted = count(plan_of(events, {"sleep", "0.05"}));
    EXPECT_THAT(counted.notes, ElementsAre(HasSubstr("counted separately"))) << type;
    for (const auto& one : counted.counts) EXPECT_EQ(one.state, pmu::events::CountState::counted) << type;
  }
}

TEST(CountOnce, AnUnsupportedEventIsNoRefusedGroup) {
  OneCounterPmu pmu(steady);
  pmu.refuse_type(PERF_TYPE_RAW);
  std::vector<pmu::events::Event> events = {event_of(), event_of(PERF_TYPE_RAW)};  // beside a leader that counts
  for (auto& event : events) event.group = 0;
  const auto counted = count(plan_of(events, {"true"}));
  EXPECT_THAT(counted.notes, IsEmpty());
  EXPECT_EQ(counted.counts[1].state, pmu::events::CountState::not_supported);
}

TEST(CountOnce, APmuThatCannotCountATaskIsReportedAsMachineWide) {
  OneCounterPmu pmu(steady);
  pmu.refuse_tasks();
  auto event = event_of();
  event.reach = pmu::events::Reach::task;
  EXPECT_THAT(count(plan_of({event}, {"true"})).notes, ElementsAre(HasSubstr("the count covers the whole machine")));
}

TEST(CountOnce, ACountIsFrozenWhenItsSysfsFolderVanishes) {
  OneCounterPmu pmu(steady);
  const Tree tree;
  auto plan = plan_of({event_of()}, {"sleep", "0.9"});
  plan.prefix = tree.root();
  plan.interval_ms = 50;
  std::vector<std::uint64_t> seen;
  plan.on_interval = [&](double, const std::vector<pmu::events::EventCount>& counts) {
    if (seen.size() == 2) std::filesystem::remove_all(tree.pmu());
    seen.push_back(counts[0].raw);
    return true;
  };
  const auto counted = count(plan);
  ASSERT_GE(seen.size(), 5u);
  EXPECT_LT(seen[1], seen[2]);
  EXPECT_EQ(seen[3], seen[2]) << "it went on counting, which nobody can vouch for";
  EXPECT_EQ(counted.counts[0].raw, seen[2]);
  EXPECT_EQ(counted.counts[0].state, pmu::events::CountState::lost);
  ASSERT_TRUE(counted.lost_at_s[0]);
  EXPECT_LT(*counted.lost_at_s[0], counted.elapsed_s);
}

TEST_IN_ATTEMPTS(CountOnce, WithSlotsAVanishedSysfsFolderIsDetected) {
  OneCounterPmu pmu(steady);
  const Tree tree;
  auto plan = plan_of({event_of()}, {"sleep", "2.5"});
  plan.prefix = tree.root();
  plan.slots.emplace();
  std::thread unplug([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::filesystem::remove_all(tree.pmu());
  });
  const auto counted = count(plan);
  unplug.join();
  ASSERT_TRUE(counted.slots && counted.slots->lost_at_ns);
  EXPECT_LT(*counted.slots->lost_at_ns, 2e9);
  EXPECT_TRUE(counted.lost_at_s[0]);
  EXPECT_GT(counted.elapsed_s, 2.4) << "the command runs to its end";
}

TEST(CountOnce, ADelayedCountBeginsAfterTheCommand) {
  OneCounterPmu pmu(steady);
  auto plan = plan_of({event_of()}, {"sleep", "20"});
  plan.delay_ms = 200;
  plan.timeout_ms = 30;
  const double began_ns = pmu.now_ns();
  const auto late = count(plan);
  const double most_s = (pmu.now_ns() - began_ns) / 1e9 - 0.2;
  EXPECT_EQ(late.counts[0].state, pmu::events::CountState::counted);
  EXPECT_LE(late.elapsed_s, most_s);
  EXPECT_LE(static_cast<double>(late.counts[0].enabled_ns) / 1e9, most_s);
  plan.command.clear();
  EXPECT_EQ(count(plan).counts[0].state, pmu::events::CountState::counted);
  plan.command = {"true"};
  plan.delay_ms = 20'000;
  const auto never = count(plan);
  ASSERT_TRUE(never.ended);
  EXPECT_LT(never.elapsed_s, 10) << "the command had ended before";
}

TEST(CountOnce, ATimeoutEndsTheCommand) {
  OneCounterPmu pmu(steady);
  auto plan = plan_of({event_of()}, {"sleep", "20"});
  plan.timeout_ms = 30;
  const auto ended = count(plan);
  ASSERT_TRUE(ended.ended);
  EXPECT_EQ(ended.ended->status, 0) << "that is how it was to end";
  plan.timeout_ms = 20'000;
  plan.command = {"sh", "-c", "exit 5"};
  EXPECT_EQ(count(plan).ended->status, 5);
  plan.command = {"sh", "-c", "kill -TERM $$"};
  EXPECT_EQ(count(plan).ended->status, base::system::kBySignal + SIGTERM) << "another's signal";
  plan.command.clear();
  plan.timeout_ms = 30;
  EXPECT_FALSE(count(plan).ended);
}

// The program's own loop is the only one that reads the level; a thread raises it.
int status_with(StopLevel level, std::vector<std::string> command) {
  OneCounterPmu pmu(steady);
  std::atomic<StopLevel> stop{StopLevel::none};
  auto plan = plan_of({event_of()}, std::move(command));
  plan.stop = &stop;
  plan.interval_ms = 20;  // how often the level is looked at
  std::thread key([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = level;
  });
  const auto counted = count(plan);
  key.join();
  return counted.ended ? counted.ended->status : -1;
}

TEST(CountOnce, StopLevelsWaitTerminateAndKillTheCommand) {
  EXPECT_EQ(status_with(StopLevel::wait, {"sleep", "0.5"}), 0);
  EXPECT_EQ(status_with(StopLevel::terminate, {"sleep", "20"}), base::system::kBySignal + SIGTERM);
  EXPECT_EQ(status_with(StopLevel::kill, {"sleep", "20"}), base::system::kBySignal + SIGKILL);
}

TEST(CountOnce, AReportThatCannotBeWrittenEndsTheCommand) {
  OneCounterPmu pmu(steady);
  auto plan = plan_of({event_of()}, {"sleep", "20"});
  plan.interval_ms = 50;
  plan.on_interval = [](double, const auto&) { return false; };
  const auto counted = count(plan);
  ASSERT_TRUE(counted.ended);
  EXPECT_EQ(counted.ended->status, base::system::kBySignal + SIGTERM);
}

}  // namespace
}  // namespace fathom::session
