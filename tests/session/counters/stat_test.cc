// A count of `fathom pmu stat` from names to the result, on a PMU in software: repetitions, passes, intervals, its end.
#include "session/counters/stat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/subprocess.h"
#include "pmu/one_counter_pmu.h"

namespace fathom::session::counters {
namespace {

using pmu::OneCounterPmu;
using ::testing::Contains;
using ::testing::SizeIs;

double steady(std::uint64_t, double from_ns, double to_ns) { return 1e-3 * (to_ns - from_ns); }

StatPlan stat_plan_of(std::vector<std::string> command) {
  StatPlan plan;
  plan.events = "page-faults,context-switches";
  plan.command = std::move(command);
  plan.all_cpus = true;  // the PMU in software sees no exec, by which events of a task are enabled
  plan.calls = &OneCounterPmu::calls();
  return plan;
}

bool unread(const result::PmuIntervalRows&) { return false; }

struct Done {
  std::optional<result::PmuStat> stat;
  bool not_started = false;
  int still_open = 0;
};

Done counted(const StatPlan& plan, const IntervalListener& listener = unread, StopLevel level = StopLevel::none) {
  OneCounterPmu pmu(steady);
  const std::atomic<StopLevel> stop{level};
  Stat stat(plan);
  const auto resolved = stat.resolve();
  EXPECT_TRUE(resolved.ok());
  auto result = stat.run(stop, listener);
  Done done{{}, stat.not_started(), pmu.open_now()};
  if (result) done.stat = std::move(*result);
  return done;
}

TEST(PmuStatCount, ACommandRunsOnceAndItsExitStatusIsKept) {
  const auto done = counted(stat_plan_of({"sh", "-c", "exit 3"}));
  ASSERT_TRUE(done.stat);
  EXPECT_EQ(done.stat->command, "sh -c exit 3");
  EXPECT_EQ(done.stat->runs, 1u);
  EXPECT_THAT(done.stat->elapsed_ns, SizeIs(1));
  ASSERT_THAT(done.stat->rows, SizeIs(2));
  EXPECT_EQ(done.stat->rows[0].state, result::PmuState::counted);
  ASSERT_TRUE(done.stat->ended);
  EXPECT_EQ(done.stat->ended->exit_status, 3);
  EXPECT_GT(done.stat->rows[0].raw, 0u);
  EXPECT_GE(done.still_open, 2) << "until what was counted has been reported";
}

TEST(PmuStatCount, RepetitionsEndWhenStopped) {
  auto plan = stat_plan_of({"true"});
  plan.runs = 3;
  const auto all = counted(plan);
  ASSERT_TRUE(all.stat);
  EXPECT_EQ(all.stat->runs, 3u);
  EXPECT_THAT(all.stat->elapsed_ns, SizeIs(3));
  const auto stopped = counted(plan, unread, StopLevel::wait);
  ASSERT_TRUE(stopped.stat);
  EXPECT_EQ(stopped.stat->runs, 1u) << "the one that was under way";
}

TEST(PmuStatCount, EachPassCountsOneEvent) {
  auto plan = stat_plan_of({"true"});
  plan.passes = true;
  const auto done = counted(plan);
  ASSERT_TRUE(done.stat);
  EXPECT_THAT(done.stat->notes, Contains("every event was counted in a run of its own"));
  EXPECT_THAT(done.stat->rows, SizeIs(2));
  EXPECT_EQ(2 * done.still_open, counted(stat_plan_of({"true"})).still_open);
}

TEST(PmuStatCount, AnIntervalHoldsItsOwnCounts) {
  auto plan = stat_plan_of({"sleep", "0.3"});
  plan.interval_ms = 50;
  std::vector<result::PmuIntervalRows> told;
  const auto done = counted(plan, [&](const result::PmuIntervalRows& interval) {
    told.push_back(interval);
    return true;
  });
  ASSERT_TRUE(done.stat);
  ASSERT_GE(told.size(), 3u);
  std::uint64_t sum = 0;
  for (const auto& interval : told) sum += interval.rows[0].raw;
  EXPECT_GT(sum, 0u);
  EXPECT_EQ(sum, done.stat->rows[0].raw);
  EXPECT_LT(told[0].time_ns, told[1].time_ns);
}

TEST(PmuStatCount, UnknownEventsAreRefusedBeforeAnyIsOpened) {
  auto plan = stat_plan_of({"true"});
  plan.events = "page-fautls";
  Stat stat(plan);
  const auto resolved = stat.resolve();
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(resolved.error().kind, base::ErrorKind::usage);
}

TEST(PmuStatCount, ACommandThatCannotBeStartedIsAnError) {
  const auto done = counted(stat_plan_of({"/nowhere/at/all"}));
  EXPECT_FALSE(done.stat);
  EXPECT_TRUE(done.not_started);
}

}  // namespace
}  // namespace fathom::session::counters
