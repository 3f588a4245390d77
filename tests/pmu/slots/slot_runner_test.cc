// The thread of the slots over a counter in software, and over the machine's own time stamp counter, whose rate is
// known: half of its time has to tell all of it.
#include "pmu/slots/slot_runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/attempts.h"
#include "pmu/events/sources.h"
#include "pmu/one_counter_pmu.h"
#include "pmu/passes.h"
#include "pmu/slot_loads.h"

namespace fathom::pmu::slots {
namespace {

std::vector<events::Event> events_of(std::size_t n) {
  std::vector<events::Event> events(n);
  for (std::size_t i = 0; i < n; ++i) {
    events[i].name = "soft/" + std::to_string(i) + "/";
    events[i].type = 60;
    events[i].config[0] = i;
    events[i].reach = events::Reach::system;
    events[i].cpus = {0};
  }
  return events;
}

std::unique_ptr<SlotRunner> started(std::size_t events, SlotRunnerOptions options) {
  OpenOptions how;
  how.all_cpus = true;
  how.calls = &OneCounterPmu::calls();
  auto counters = Counters::open(events_of(events), how);
  EXPECT_TRUE(counters);
  auto runner = SlotRunner::start(std::move(*counters), std::move(options));
  EXPECT_TRUE(runner);
  return std::move(*runner);
}

void pause(double ms) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); }

double steady_load(std::uint64_t config, double from_ns, double to_ns) {
  return 1e-3 * static_cast<double>(config + 1) * (to_ns - from_ns);
}

TEST_IN_ATTEMPTS(SlotRunner, EventsTakeTurnsAloneAndTheIntervalHoldsTheTruth) {
  OneCounterPmu pmu(steady_load);
  const double begin = pmu.now_ns();
  auto runner = started(3, {{{2 * kMs, 0.25}}, 0, 7, false});
  pause(400);
  const SlotRun run = runner->finish();
  const double end = pmu.now_ns();
  EXPECT_EQ(pmu.most_at_once(), 1);
  EXPECT_FALSE(run.lost_at_ns);
  EXPECT_NEAR(run.window_ns, end - begin, 10 * kMs);
  for (std::uint32_t e = 0; e < 3; ++e) {
    const auto found = estimate(run.slots, e, run.window_ns, 0.99);
    const double truth = steady_load(e, 0, run.window_ns);
    EXPECT_GT(found.share, 0.15) << e;
    EXPECT_NEAR(found.total, truth, 0.01 * truth) << e;
    EXPECT_LE(found.low, truth * 1.001) << e;
    EXPECT_GE(found.high, truth * 0.999) << e;
    double counted = 0;
    for (const auto& slot : run.slots)
      if (slot.event == e) counted += slot.count;
    EXPECT_DOUBLE_EQ(counted, static_cast<double>(run.counts[e].raw));
  }
}

TEST_IN_ATTEMPTS(SlotRunner, SubReadsLieWithinTheirSlots) {
  OneCounterPmu pmu(steady_load);
  auto runner = started(2, {{{2 * kMs, 0.25}}, 0, 7, false});
  pause(300);
  const SlotRun run = runner->finish();
  int read = 0;
  for (const auto& slot : run.slots) {
    EXPECT_LE(slot.sub_ns, slot.length_ns + 1000);
    EXPECT_LE(slot.sub_count, slot.count);
    read += slot.sub_ns > 0;
  }
  EXPECT_GT(read, 5);
  EXPECT_FALSE(locked(run.slots, 0));
}

// Whether the thread of the slots had its CPU when it wanted it: slots of 4 and 7 ms and what is left of a round end at
// whole milliseconds.
bool in_time(const std::vector<Slot>& slots) {
  const auto late = [](const Slot& s) {
    const double end_ms = (s.start_ns + s.length_ns) / kMs;
    return std::abs(end_ms - std::round(end_ms)) > 0.25;
  };
  return std::count_if(slots.begin(), slots.end(), late) <= static_cast<std::ptrdiff_t>(slots.size() / 10);
}

// 4 ms of one event, 4 ms of the other; the slots in step with them.
SlotRun in_step() {
  OneCounterPmu pmu(
      [](std::uint64_t config, double a, double b) { return square(1e-3, 8 * kMs, config == 0 ? 0 : 4 * kMs)(a, b); });
  auto runner = started(2, {{{4 * kMs, 0}, {7 * kMs, 0}}, 0, 7, false});
  pause(1200);
  return runner->finish();
}

TEST_IN_ATTEMPTS(SlotRunner, FixedSlotsInStepWithTheLoadAreFlaggedAsAliased) {
  SlotRun run = in_step();
  for (int again = 0; again < 10 && !in_time(run.slots); ++again) run = in_step();
  if (!in_time(run.slots)) GTEST_SKIP() << "others have the CPUs: slots of fixed length are not to be had";
  const double truth = 1e-3 * run.window_ns / 2;
  const auto both = compare(run.slots, 0, run.window_ns);
  EXPECT_GT(std::abs(both.a.total / truth - 1), 0.3)
      << "too much, or too little where the slots begin with the other half";
  EXPECT_TRUE(both.aliased);
}

TEST_IN_ATTEMPTS(SlotRunner, JitteredSlotsOfAPeriodicLoadHoldTheTruth) {
  OneCounterPmu pmu(
      [](std::uint64_t config, double a, double b) { return square(1e-3, 8 * kMs, config == 0 ? 0 : 4 * kMs)(a, b); });
  auto runner = started(2, {{{4 * kMs, 0.25}}, 0, 7, false});
  pause(1200);
  const SlotRun run = runner->finish();
  const double truth = 1e-3 * run.window_ns / 2;
  const auto found = estimate(run.slots, 0, run.window_ns, 0.9999);
  EXPECT_LE(found.low, truth);
  EXPECT_GE(found.high, truth);
  EXPECT_LT(found.high, 1.5 * truth);
}

TEST_IN_ATTEMPTS(SlotRunner, RecordsWhenTheCounterVanished) {
  OneCounterPmu pmu(steady_load);
  auto runner = started(2, {{{2 * kMs, 0.25}}, 0, 7, false});
  pause(100);
  pmu.vanish();
  pause(100);
  const SlotRun run = runner->finish();
  ASSERT_TRUE(run.lost_at_ns);
  EXPECT_NEAR(*run.lost_at_ns, 100 * kMs, 50 * kMs);
  EXPECT_DOUBLE_EQ(run.window_ns, *run.lost_at_ns);
  EXPECT_GT(run.counts[0].raw, 0u);
  const auto found = estimate(run.slots, 0, run.window_ns);
  EXPECT_NEAR(found.total, steady_load(0, 0, run.window_ns), 0.1 * steady_load(0, 0, run.window_ns));
}

TEST(SlotRunner, ACounterHeldByAnotherUserGivesNoSlots) {
  OneCounterPmu pmu(steady_load);
  pmu.set(Foreign::holds);
  auto runner = started(2, {{{2 * kMs, 0.25}}, 0, 7, false});
  pause(50);
  const SlotRun run = runner->finish();
  EXPECT_EQ(estimate(run.slots, 0, run.window_ns).confidence, 0);
}

TEST(SlotRunner, FinishEndsALongSlotAtOnce) {
  OneCounterPmu pmu(steady_load);
  auto runner = started(2, {{{60'000 * kMs, 0.25}}, 0, 7, false});
  pause(20);
  const auto before = std::chrono::steady_clock::now();
  const SlotRun run = runner->finish();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(60));
  EXPECT_EQ(run.slots.size(), 1u);
  EXPECT_EQ(pmu.open_now(), 2);
  runner.reset();
  EXPECT_EQ(pmu.open_now(), 0);
}

// Slots of 0.2 ms cost more than a hundredth of their length anywhere; the runner has to lengthen them.
TEST_IN_ATTEMPTS(SlotRunner, LengthensSlotsThatCostTooMuch) {
  OneCounterPmu pmu(steady_load);
  auto runner = started(2, {{{0.2 * kMs, 0.25}}, 0.003, 7, false});
  pause(1000);
  const SlotRun run = runner->finish();
  EXPECT_GT(run.stretch, 1.5);
  EXPECT_TRUE(run.cpu_ns < 0.005 * run.window_ns || run.slots.size() < 400)  // or as few as it keeps at any price
      << run.cpu_ns / run.window_ns << " of one CPU, " << run.slots.size() << " slots";
}

// Two events over the time stamp counter of every CPU: what one saw in half of the time has to tell all of it.
TEST_IN_ATTEMPTS(SlotRunner, TscCountedHalfTheTimeEstimatesTheWhole) {
  const events::EventSources sources;
  if (sources.find("msr") == nullptr || sources.find("msr")->find("tsc") == nullptr)
    GTEST_SKIP() << "no msr/tsc/ among the event sources";
  const auto parsed = events::parse_events("msr/tsc/,msr/tsc/,msr/tsc/", sources);
  ASSERT_TRUE(parsed);
  OpenOptions how;
  how.all_cpus = true;
  auto whole = Counters::open({parsed->front()}, how);
  auto shared = Counters::open({(*parsed)[1], (*parsed)[2]}, how);
  if (!whole || !shared) GTEST_SKIP() << (whole ? shared.error() : whole.error()).what;
  ASSERT_TRUE(whole->enable());
  auto runner = SlotRunner::start(std::move(*shared), {});
  ASSERT_TRUE(runner);
  pause(1500);
  const SlotRun run = (*runner)->finish();
  ASSERT_TRUE(whole->disable());
  const auto counted = whole->read(0);
  const double per_ns = counted.scaled / static_cast<double>(counted.window_ns);
  for (std::uint32_t e = 0; e < 2; ++e) {
    const auto found = estimate(run.slots, e, run.window_ns, 0.99);
    EXPECT_LE(found.low, per_ns * run.window_ns) << e;
    EXPECT_GE(found.high, per_ns * run.window_ns) << e;
    EXPECT_GT(found.share, 0.3) << e;
    EXPECT_LT(found.share, 0.7) << e;
    EXPECT_NEAR(found.total / (per_ns * run.window_ns), 1, 0.02) << e;
  }
}

TEST(HeldNs, UsesRunningTimeForCpusAndWallTimeForTasks) {
  events::EventCount before, after;
  after.enabled_ns = 2000, after.running_ns = 1000, after.window_ns = 1000;  // two CPUs, half of the time
  EXPECT_DOUBLE_EQ(held_ns(before, after, 1010, false), 500);
  EXPECT_DOUBLE_EQ(held_ns(before, after, 1010, true), 505);
  EXPECT_DOUBLE_EQ(held_ns(after, after, 1010, false), 0);
}

TEST(HeldNs, ASleepingTasksSlotCountsAsHeldCompletely) {
  events::EventCount stands;
  stands.enabled_ns = stands.running_ns = stands.window_ns = 1000;
  EXPECT_DOUBLE_EQ(held_ns(stands, stands, 1010, true), 1010);
  events::EventCount waits = stands;  // on its CPU without a counter
  waits.enabled_ns += 500;
  EXPECT_DOUBLE_EQ(held_ns(stands, waits, 1010, true), 0);
}

TEST_IN_ATTEMPTS(SlotRunner, UnsupportedEventsTakeNoTurns) {
  OneCounterPmu pmu(steady_load);
  OpenOptions how;
  how.all_cpus = true;
  how.calls = &OneCounterPmu::calls();
  auto events = events_of(3);
  events[1].type = PERF_TYPE_HARDWARE;
  pmu.refuse_type(PERF_TYPE_HARDWARE);
  auto counters = Counters::open(events, how);
  ASSERT_TRUE(counters) << counters.error().what;
  auto runner = SlotRunner::start(std::move(*counters), {{{2 * kMs, 0.25}}, 0, 7, false});
  ASSERT_TRUE(runner);
  pause(200);
  const SlotRun run = (*runner)->finish();
  EXPECT_EQ(run.counts[1].state, events::CountState::not_supported);
  EXPECT_EQ(estimate(run.slots, 1, run.window_ns).slots, 0u);
  for (const std::uint32_t e : {0u, 2u}) EXPECT_GT(estimate(run.slots, e, run.window_ns).share, 0.35) << e;
}

SlotRun run_for(std::vector<events::Event> events, double ms) {
  OpenOptions how;
  how.all_cpus = true;
  how.calls = &OneCounterPmu::calls();
  auto counters = Counters::open(std::move(events), how);
  EXPECT_TRUE(counters);
  auto runner = SlotRunner::start(std::move(*counters), {{{2 * kMs, 0.25}}, 0, 7, false});
  EXPECT_TRUE(runner);
  pause(ms);
  return (*runner)->finish();
}

// The counter's turns are for what needs the counter; a tracepoint and a software event are counted from end to end.
TEST_IN_ATTEMPTS(SlotRunner, SoftwareEventsAndTracepointsAreCountedTheWholeWindow) {
  OneCounterPmu pmu(steady_load);
  auto events = events_of(4);
  events[1].type = PERF_TYPE_TRACEPOINT;
  events[3].type = PERF_TYPE_SOFTWARE;
  const SlotRun run = run_for(events, 300);
  EXPECT_EQ(pmu.most_at_once(), 1);
  EXPECT_EQ(run.whole, (std::vector<bool>{false, true, false, true}));
  for (const std::uint32_t e : {1u, 3u}) {
    const double truth = steady_load(e, 0, run.window_ns);
    EXPECT_NEAR(static_cast<double>(run.counts[e].raw), truth, 0.01 * truth) << e;
    EXPECT_DOUBLE_EQ(run.counts[e].running_share, 1);
    EXPECT_EQ(estimate(run.slots, e, run.window_ns).slots, 0u) << "no turn";
  }
  for (const std::uint32_t e : {0u, 2u}) EXPECT_GT(estimate(run.slots, e, run.window_ns).share, 0.35) << e;
  EXPECT_EQ(run.beside.events, (std::vector<std::uint32_t>{1, 3}));
  ASSERT_EQ(run.beside.grown.size(), 2 * run.slots.size());
  ASSERT_EQ(run.beside.wall_ns.size(), run.slots.size());
  double grown = 0, wall_ns = 0;
  for (std::size_t i = 0; i < run.slots.size(); ++i) grown += run.beside.grown[2 * i], wall_ns += run.beside.wall_ns[i];
  EXPECT_NEAR(grown, steady_load(1, 0, wall_ns), 0.01 * grown);
  EXPECT_NEAR(wall_ns, run.window_ns, 0.02 * run.window_ns);
  EXPECT_FALSE(effect_of_counting(run.slots, run.beside));
}

TEST_IN_ATTEMPTS(SlotRunner, WithoutHardwareEventsThereAreNoTurns) {
  OneCounterPmu pmu(steady_load);
  auto events = events_of(2);
  for (auto& event : events) event.type = PERF_TYPE_TRACEPOINT;
  const SlotRun run = run_for(events, 100);
  EXPECT_TRUE(run.slots.empty());
  EXPECT_FALSE(run.lost_at_ns);
  const double truth = steady_load(1, 0, run.window_ns);
  EXPECT_NEAR(static_cast<double>(run.counts[1].raw), truth, 0.02 * truth);
}

TEST_IN_ATTEMPTS(SlotRunner, SoftwareEventsAreCountedOnAfterTheTurnsEnd) {
  OneCounterPmu pmu(steady_load);
  auto events = events_of(3);
  events[2].type = PERF_TYPE_TRACEPOINT;
  OpenOptions how;
  how.all_cpus = true;
  how.calls = &OneCounterPmu::calls();
  auto counters = Counters::open(std::move(events), how);
  ASSERT_TRUE(counters);
  auto runner = SlotRunner::start(std::move(*counters), {{{2 * kMs, 0.25}}, 0, 7, false});
  ASSERT_TRUE(runner);
  pause(100);
  (*runner)->end_turns();
  pause(100);
  const SlotRun run = (*runner)->finish();
  EXPECT_NEAR(run.window_ns, 100 * kMs, 20 * kMs);
  const double truth = steady_load(2, 0, 200 * kMs);
  EXPECT_NEAR(static_cast<double>(run.counts[2].raw), truth, 0.1 * truth);
}

// The load goes at two thirds while event 0 has its turn; a tracepoint of its work shows it.
TEST_IN_ATTEMPTS(SlotRunner, ATurnThatSlowsTheLoadIsReported) {
  OneCounterPmu pmu([](std::uint64_t config, double a, double b) {
    return steady_load(config, a, b) * (config == 1 && OneCounterPmu::counting(0) ? 0.67 : 1);
  });
  auto events = events_of(3);
  events[1].type = PERF_TYPE_TRACEPOINT;
  const SlotRun run = run_for(events, 400);
  const auto effect = effect_of_counting(run.slots, run.beside);
  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->beside, 1u);
  const double ratio = effect->event == 0 ? effect->during / effect->otherwise : effect->otherwise / effect->during;
  EXPECT_NEAR(ratio, 0.67, 0.05);
}

TEST(SlotRunner, NothingToCountIsAnError) {
  OneCounterPmu pmu(steady_load);
  pmu.refuse_type(PERF_TYPE_HARDWARE);
  OpenOptions how;
  how.all_cpus = true;
  how.calls = &OneCounterPmu::calls();
  auto events = events_of(1);
  events[0].type = PERF_TYPE_HARDWARE;
  auto counters = Counters::open(events, how);
  ASSERT_TRUE(counters);
  const auto runner = SlotRunner::start(std::move(*counters), {});
  ASSERT_FALSE(runner);
  EXPECT_NE(runner.error().what.find("none of the events"), std::string::npos);
}

// A day of 0.1 ms: the lengths asked for hold for the first 65,536 slots and then grow as fast as their number.
TEST(SlotRunner, MemoryForSlotsOfADayIsBounded) {
  EXPECT_EQ(stretch_to_keep(1000), 1);
  double day_ns = 0;
  std::size_t slots = 0;
  for (; day_ns < 86'400e9; ++slots) day_ns += 0.1 * kMs * stretch_to_keep(slots);
  EXPECT_LT(slots * sizeof(Slot), 100'000'000u);
}

TEST(EventPasses, OpenEachEventAloneAndPinned) {
  auto events = events_of(2);
  events[0].group = events[1].group = 1;
  for (const auto& event : passes(events)) {
    EXPECT_TRUE(event.pinned);
    EXPECT_EQ(event.group, -1);
  }
}

}  // namespace
}  // namespace fathom::pmu::slots
