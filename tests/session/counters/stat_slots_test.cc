// `fathom pmu stat --slots`: what it makes of slots whose counts are made up.
#include "session/counters/stat_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::session::counters {
namespace {

using ::testing::HasSubstr;

// Two slots of each event in every round of 8 ns; the first counts 10 a slot, the second nothing.
pmu::slots::SlotRun made_up(std::uint32_t plans) {
  pmu::slots::SlotRun run;
  run.window_ns = 800;
  run.counts.resize(2);
  for (auto& count : run.counts) count.state = pmu::events::CountState::counted;
  for (std::uint32_t round = 0; round < 100; ++round) {
    const std::uint32_t plan = round % plans;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const double count = i % 2 == 0 ? (plan == 0 ? 10 : 5) : 0;
      run.slots.push_back({i % 2, 8.0 * round + 2 * i, 2, count, round, plan, 0, 0, 0});
      run.counts[i % 2].raw += static_cast<std::uint64_t>(count);
    }
  }
  return run;
}

std::vector<pmu::StatEvent> names() {
  pmu::StatEvent scaled, plain;
  scaled.name = "p/scaled/", plain.name = "p/plain/";
  scaled.scale = 16;
  scaled.parts = {0}, plain.parts = {1};
  return {scaled, plain};
}

TEST(SlotReport, EstimatesAreInTheShownUnit) {
  const auto report = slot_report(made_up(1), names(), {});
  ASSERT_EQ(report.counts.size(), 2u);
  EXPECT_EQ(report.counts[0].raw, 2000u);
  EXPECT_DOUBLE_EQ(report.counts[0].scaled, 4000);
  EXPECT_DOUBLE_EQ(report.counts[0].running_share, 0.5);
  EXPECT_DOUBLE_EQ(report.intervals[0].estimate.total, 64'000);
  EXPECT_DOUBLE_EQ(report.intervals[0].estimate.low, 64'000);  // every slot alike
  EXPECT_FALSE(report.intervals[0].aliased);
  EXPECT_EQ(report.intervals[1].estimate.total, 0);
  EXPECT_GT(report.intervals[1].estimate.high, 0);
  ASSERT_EQ(report.notes.size(), 2u);
  EXPECT_THAT(report.notes[0], HasSubstr("p/plain/: a dozen slots or fewer")) << "nothing seen is not nothing there";
  EXPECT_THAT(report.notes[1], HasSubstr("400 slots"));
}

TEST(SlotReport, ACountThatChangesWithTheLengthIsAliased) {
  pmu::slots::SlotRunnerOptions options;
  options.plans = {{4e6, 0}, {7e6, 0}};
  const auto report = slot_report(made_up(2), names(), options);
  EXPECT_TRUE(report.intervals[0].aliased);
  EXPECT_FALSE(report.intervals[1].aliased);
  EXPECT_THAT(report.notes[0], HasSubstr("p/scaled/: aliased: slots of 4 ms give 4,000, slots of 7 ms give 2,000"));
}

TEST(SlotReport, TooFewSlotsGiveNoEstimate) {
  auto run = made_up(1);
  run.slots.resize(8);  // four of each
  run.counts[0].raw = 40;
  const auto report = slot_report(run, names(), {});
  EXPECT_EQ(report.counts[0].state, pmu::events::CountState::not_counted);
  EXPECT_LE(report.counts[0].scaled, 40) << "what was counted, and no guess";
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("p/scaled/: its 4 slots are too few")));
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("at least 640 were counted")));
}

TEST(SlotReport, AnEventWhoseSlotsTheCommandSleptThroughCountsZero) {
  auto run = made_up(1);
  run.counts[1].state = pmu::events::CountState::not_counted;  // the counter never ran: nobody was there to be counted
  const auto report = slot_report(run, names(), {});
  EXPECT_EQ(report.counts[1].state, pmu::events::CountState::counted);
  EXPECT_EQ(report.counts[1].scaled, 0);
}

TEST(SlotReport, AnUnsupportedLaneIsLeftOut) {
  auto run = made_up(1);
  auto two_lanes = names();
  two_lanes[0].parts = {0, 2};
  run.counts.resize(3);
  run.counts[2].state = pmu::events::CountState::not_supported;
  const auto report = slot_report(run, two_lanes, {});
  EXPECT_GT(report.intervals[0].estimate.confidence, 0);
  EXPECT_DOUBLE_EQ(report.intervals[0].estimate.total, 64'000);
}

// A third event, of the load's own work, counted all the time: `during` of its pace in the turns of event 0.
pmu::slots::SlotRun with_work_beside(double during) {
  auto run = made_up(1);
  run.counts.resize(3);
  run.counts[2].state = pmu::events::CountState::counted;
  run.counts[2].raw = 12'345;
  run.counts[2].scaled = 12'345;
  run.counts[2].running_share = 1;
  run.whole = {false, false, true};
  run.beside.events = {2};
  for (std::size_t i = 0; i < run.slots.size(); ++i) {
    run.beside.grown.push_back((run.slots[i].event == 0 ? during : 1) * (100 + static_cast<double>(i % 7)));
    run.beside.wall_ns.push_back(2);
  }
  return run;
}

std::vector<pmu::StatEvent> names_and_work() {
  auto all = names();
  all.emplace_back();
  all.back().name = "syscalls:work";
  all.back().parts = {2};
  return all;
}

TEST(SlotReport, AnEventWithoutACounterIsExact) {
  const auto report = slot_report(with_work_beside(1), names_and_work(), {});
  EXPECT_TRUE(report.intervals[2].whole);
  EXPECT_EQ(report.intervals[2].estimate.low, 12'345);
  EXPECT_EQ(report.intervals[2].estimate.high, 12'345);
  EXPECT_EQ(report.intervals[2].estimate.confidence, 1);
  EXPECT_FALSE(report.intervals[0].whole || report.intervals[0].withheld);
  EXPECT_GT(report.intervals[0].estimate.confidence, 0);
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("syscalls:work: needs no PMU counter")));
}

TEST(SlotReport, WhenCountingChangesTheLoadTheEstimateIsWithheld) {
  const auto report = slot_report(with_work_beside(0.7), names_and_work(), {});
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_TRUE(report.intervals[i].withheld) << i;
    EXPECT_EQ(report.intervals[i].estimate.confidence, 0) << i;
    EXPECT_EQ(report.counts[i].state, pmu::events::CountState::not_counted) << i;
  }
  EXPECT_FALSE(report.intervals[2].withheld) << "counted, not estimated";
  EXPECT_EQ(report.counts[2].state, pmu::events::CountState::counted);
  EXPECT_THAT(report.notes[0], HasSubstr("counting changes the load: syscalls:work changes"));
  EXPECT_THAT(report.notes[0], HasSubstr("no estimate of p/scaled/, p/plain/"));
  pmu::slots::SlotRunnerOptions fixed;
  fixed.plans = {{4e6, 0}};
  EXPECT_FALSE(slot_report(with_work_beside(0.7), names_and_work(), fixed).intervals[0].withheld)
      << "in turn, it may be the load that keeps time";
}

TEST(SlotReport, ASourceThatVanishedIsLost) {
  auto run = made_up(1);
  run.lost_at_ns = 800;
  EXPECT_EQ(slot_report(run, names(), {}).counts[0].state, pmu::events::CountState::lost);
  run = made_up(1);
  run.slots.clear();
  EXPECT_EQ(slot_report(run, names(), {}).counts[0].state, pmu::events::CountState::not_counted);
}

}  // namespace
}  // namespace fathom::session::counters
