// A count of `fathom pmu stat` from names to the result, on a PMU in software: repetitions, passes, intervals, its end.
#include "session/counters/stat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/subprocess.h"
#include "host/temp_tree.h"
#include "pmu/one_counter_pmu.h"

namespace fathom::session::counters {
namespace {

using pmu::OneCounterPmu;
using ::testing::Contains;
using ::testing::ElementsAre;
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
  EXPECT_THAT(done.stat->notes, Contains("each event was counted in a separate run"));
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

std::vector<std::string> names(const std::vector<result::PmuRow>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.place ? row.place->name + " " + row.event : row.event);
  return names;
}

TEST(PmuStatCount, WithoutNamesPerfsDefaultEventsAreCounted) {
  auto plan = stat_plan_of({"true"});
  plan.events.clear();
  const auto machine = counted(plan);
  ASSERT_TRUE(machine.stat);
  EXPECT_THAT(names(machine.stat->rows), ElementsAre("cpu-clock", "context-switches", "cpu-migrations", "page-faults",
                                                     "cycles", "instructions", "branches", "branch-misses"));
  EXPECT_EQ(machine.stat->rows[0].metric->unit, "CPUs utilized");
  plan.all_cpus = false;
  plan.detail = 1;
  const auto command = counted(plan);
  ASSERT_TRUE(command.stat);
  EXPECT_EQ(command.stat->rows[0].event, "task-clock");
  EXPECT_EQ(command.stat->rows.back().event, "LLC-load-misses");
  plan.events = "cs";
  EXPECT_THAT(names(counted(plan).stat->rows),
              ElementsAre("cs", "L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses"));
}

TEST(PmuStatCount, ChosenCpusHaveRowsOfTheirOwn) {
  auto plan = stat_plan_of({"true"});
  plan.all_cpus = false;
  plan.cpus = "0";
  plan.together = pmu::events::Together::cpu;
  const auto done = counted(plan);
  ASSERT_TRUE(done.stat);
  EXPECT_THAT(names(done.stat->rows), ElementsAre("CPU0 page-faults", "CPU0 context-switches"));
  EXPECT_EQ(done.stat->rows[0].place->cpus, 1u);
  EXPECT_EQ(done.still_open, 2);
  ASSERT_TRUE(done.stat->target);
  EXPECT_EQ(done.stat->target->kind, result::PmuTargetKind::cpus);
  EXPECT_EQ(done.stat->target->list, "0");
}

TEST(PmuStatCount, AnEventThatCountsOnOtherCpusIsLeftOutWithANote) {
  const host::testing::TempTree tree;
  for (const auto* pmu : {"core", "atom"}) {
    const std::string folder = std::string("/sys/bus/event_source/devices/cpu_") + pmu;
    tree.file(folder + "/type", *pmu == 'c' ? "4\n" : "10\n");
    tree.file(folder + "/cpus", *pmu == 'c' ? "0\n" : "4096\n");
  }
  auto plan = stat_plan_of({"true"});
  plan.all_cpus = false;
  plan.prefix = tree.root();
  plan.cpus = "0";
  plan.events = "cycles";
  const auto done = counted(plan);
  ASSERT_TRUE(done.stat);
  EXPECT_THAT(names(done.stat->rows), ElementsAre("cpu_core/cycles/"));
  EXPECT_THAT(done.stat->notes, Contains("cpu_atom counts only on CPU 4096, outside -C: its events are omitted"));
  plan.events = "cpu_atom/event=1/";
  tree.file("/sys/bus/event_source/devices/cpu_atom/format/event", "config:0-7\n");
  const auto none = Stat(plan).resolve();
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().help, "-C 4096, or -a");
}

TEST(PmuStatCount, WrongTargetsAreRefusedWithTheCause) {
  const auto refused = [](auto change) {
    auto plan = stat_plan_of({});
    change(plan);
    const auto resolved = Stat(plan).resolve();
    if (resolved.ok()) return std::string();
    EXPECT_EQ(resolved.error().kind, base::ErrorKind::usage);
    return resolved.error().what;
  };
  EXPECT_EQ(refused([](auto& plan) { plan.cpus = "0-"; }), "-C 0-: `0-` is not a list of CPUs");
  EXPECT_EQ(refused([](auto& plan) { plan.cpus = "60000"; }), "-C 60000: CPU 60000 is not online");
  EXPECT_EQ(refused([](auto& plan) { plan.processes = "1,x"; }), "-p x: not a number of a process");
  EXPECT_EQ(refused([](auto& plan) { plan.threads = "0"; }), "-t 0: not a number of a thread");
  EXPECT_EQ(refused([](auto& plan) { plan.processes = "2147483646"; }), "-p 2147483646: no such process");
}

TEST(PmuStatCount, TasksAreCountedUntilTheyHaveEnded) {
  auto sleeper = base::system::Subprocess::hold({"sleep", "0.3"}, base::system::Subprocess::Orphan::killed);
  ASSERT_TRUE(sleeper);
  ASSERT_EQ(sleeper->let_go(), 0);
  auto plan = stat_plan_of({});
  plan.processes = std::to_string(sleeper->pid());
  const auto done = counted(plan);  // nobody waits for it: it is a zombie then
  ASSERT_TRUE(done.stat);
  EXPECT_EQ(done.stat->target->kind, result::PmuTargetKind::processes);
  EXPECT_FALSE(done.stat->ended);
  EXPECT_THAT(done.stat->notes, Contains(::testing::HasSubstr("-a and -C have no effect")));
  EXPECT_TRUE(sleeper->wait(0));
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
