// Slots against loads whose truth is known: does a 95 % interval hold it in 95 of 100 runs, whatever the load does? And
// the load that fools slots of fixed length: it has to be flagged, and jittered slots have to hold the truth.
#include "pmu/slots/slots.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/sanitized.h"
#include "pmu/slot_loads.h"

namespace fathom::pmu::slots {
namespace {

constexpr double kSecond = 1e9;

struct Model {
  const char* name;
  std::function<Load(base::Prng&)> make;
};

const Model kModels[] = {
    {"steady, 100 a ms", [](base::Prng& r) { return steady(r, 1e-4); }},
    {"steady, 1 a ms", [](base::Prng& r) { return steady(r, 1e-6); }},
    {"bursts of 1 ms", [](base::Prng& r) { return bursts(r, 1e-4, 1 * kMs, 2 * kMs); }},
    {"bursts of 5 ms", [](base::Prng& r) { return bursts(r, 1e-4, 5 * kMs, 10 * kMs); }},
    {"bursts of 30 ms", [](base::Prng& r) { return bursts(r, 1e-4, 30 * kMs, 50 * kMs); }},
    {"drifting", [](base::Prng& r) { return drifting(r, 1e-2, kSecond); }},
};

double coverage(const Model& model, int runs, std::size_t events, double window_ns, double confidence, double gap_ns) {
  int held = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    base::Prng random(static_cast<std::uint64_t>(seed) * 7919);
    const auto run =
        simulate(model.make(random), events, {SlotPlan{}}, window_ns, static_cast<std::uint64_t>(seed), gap_ns);
    const auto e = estimate(run.slots, 0, window_ns, confidence);
    held += e.low <= run.truth && run.truth <= e.high;
  }
  return static_cast<double>(held) / runs;
}

TEST(SlotCoverage, TimedIntervalHoldsTheTruthIn95PercentOfRuns) {
  for (const auto& model : kModels) {
    const double share = coverage(model, 10'000, 2, kSecond, 0.95, 0);
    EXPECT_GE(share, 0.94) << model.name;
    EXPECT_LE(share, 0.96) << model.name;
  }
}

TEST(SlotCoverage, TimedIntervalHoldsWithFiveEventsAndTimeLostBetweenSlots) {
  for (const auto& model : kModels) {
    const double share = coverage(model, 2'000, 5, 2 * kSecond, 0.99, 0.05 * kMs);
    EXPECT_GE(share, 0.98) << model.name;
  }
}

TEST(SlotCoverage, TimedIntervalHoldsForRareEvents) {
  for (const double per_s : {1.0, 5.0, 20.0}) {
    const Model rare{"rare", [=](base::Prng& r) { return steady(r, per_s / kSecond); }};
    EXPECT_GE(coverage(rare, 2'000, 2, kSecond, 0.95, 0), 0.94) << per_s;
  }
}

// The fixed seed of a run must not be what makes the numbers above.
TEST(SlotEstimate, HasNoBias) {
  for (const auto& model : kModels) {
    double off = 0, squares = 0;
    constexpr int kRuns = base::kSanitized ? 200 : 1'000;
    for (int seed = 1; seed <= kRuns; ++seed) {
      base::Prng random(static_cast<std::uint64_t>(seed) + 1'000'000);
      const auto run =
          simulate(model.make(random), 2, {SlotPlan{}}, kSecond, static_cast<std::uint64_t>(seed) + 77, 0.02 * kMs);
      const double error = estimate(run.slots, 0, kSecond).total - run.truth;
      off += error / kRuns, squares += error * error / kRuns;
    }
    EXPECT_LT(std::abs(off), 4 * std::sqrt(squares / kRuns)) << model.name;
  }
}

TEST(SlotEstimate, IsExactWhenTheWholeWindowWasSeen) {
  std::vector<Slot> slots;
  for (std::uint32_t i = 0; i < 8; ++i) slots.push_back({0, 50.0 * i, 50, 7.0 + i, i / 2, 0, 0, 0, 0});
  const auto e = estimate(slots, 0, 400);
  EXPECT_DOUBLE_EQ(e.total, 84);
  EXPECT_DOUBLE_EQ(e.low, 84);
  EXPECT_DOUBLE_EQ(e.high, 84);
  EXPECT_DOUBLE_EQ(e.share, 1);
}

// 2 of 4 slots, counts 10 and 14 in 1 ns each: r = 12, scatter 8 / 1, unseen 2 of 4: variance 8 x 2 x 4 / 2 = 32.
TEST(SlotEstimate, MatchesAVarianceComputedByHand) {
  std::vector<Slot> slots;
  for (std::uint32_t round = 0; round < 20; ++round) {
    const double at = 4.0 * round;
    slots.push_back({0, at, 1, 10, round, 0, 0, 0, 0});
    slots.push_back({1, at + 1, 1, 0, round, 0, 0, 0, 0});
    slots.push_back({1, at + 2, 1, 0, round, 0, 0, 0, 0});
    slots.push_back({0, at + 3, 1, 14, round, 0, 0, 0, 0});
  }
  const auto e = estimate(slots, 0, 80, 0.95);
  EXPECT_DOUBLE_EQ(e.total, 20 * 48);
  EXPECT_EQ(e.slots, 40u);
  EXPECT_DOUBLE_EQ(e.share, 0.5);
  EXPECT_FALSE(e.few);
  // degrees: 20^2 / (20 / 3) - 2 = 58, t = 2.0017
  EXPECT_NEAR(e.high - e.total, 2.0017 * std::sqrt(20 * 32.0), 0.01);
  EXPECT_NEAR(e.total - e.low, e.high - e.total, 1e-9);
  EXPECT_EQ(estimate(slots, 1, 80).total, 0);
}

TEST(SlotEstimate, ZeroCountsStillHaveAnUpperBound) {
  const auto run = simulate([](double, double) { return 0.0; }, 2, {SlotPlan{}}, kSecond, 3);
  const auto e = estimate(run.slots, 0, kSecond, 0.99);
  EXPECT_EQ(e.total, 0);
  EXPECT_EQ(e.low, 0);
  EXPECT_TRUE(e.few);
  EXPECT_NEAR(e.high, std::log(0.005) / std::log(1 - e.share), 1);  // half of each is missed: 0.5^n = 0.005
}

TEST(SlotEstimate, TooFewSlotsHaveNoConfidence) {
  EXPECT_EQ(estimate({}, 0, kSecond).confidence, 0);
  const std::vector<Slot> one = {{0, 0, 10, 5, 0, 0, 0, 0, 0}};
  const auto e = estimate(one, 0, 40);
  EXPECT_EQ(e.confidence, 0);
  EXPECT_DOUBLE_EQ(e.total, 20);
  EXPECT_DOUBLE_EQ(e.low, 5);
  EXPECT_TRUE(std::isinf(e.high));
}

// Slots that never had the counter (somebody else held it) say nothing; the window still counts them as unseen.
TEST(SlotEstimate, SlotsWithoutTheCounterCountAsUnseen) {
  std::vector<Slot> slots;
  for (std::uint32_t i = 0; i < 40; ++i)
    slots.push_back({0, 10.0 * i, i % 2 == 0 ? 10.0 : 0.0, i % 2 == 0 ? 30.0 : 0.0, i / 2, 0, 0, 0, 0});
  const auto e = estimate(slots, 0, 400);
  EXPECT_DOUBLE_EQ(e.total, 1200);
  EXPECT_DOUBLE_EQ(e.share, 0.5);
  EXPECT_EQ(e.slots, 20u);
}

// Where in a call the counter began is not known: that much time is added to the interval.
TEST(SlotEstimate, TimeOfTheCallsAtSlotEdgesWidensTheInterval) {
  std::vector<Slot> slots;
  for (std::uint32_t i = 0; i < 40; ++i) slots.push_back({0, 10.0 * i, 10, 30, i / 2, 0, 0, 0, 0.1});
  const auto e = estimate(slots, 0, 400);
  EXPECT_NEAR(e.high - e.total, 0.01 * 1200, 1e-9);
}

TEST(SlotSchedule, GivesEveryEventTwoRandomPlacesARound) {
  SlotSchedule schedule(3, {{4 * kMs, 0.25}}, 9);
  std::set<std::vector<std::uint32_t>> orders;
  double now = 0;
  for (std::uint32_t round = 0; round < 200; ++round) {
    std::map<std::uint32_t, int> times;
    std::vector<std::uint32_t> order;
    for (int i = 0; i < 6; ++i) {
      const auto slot = schedule.next(now);
      EXPECT_EQ(slot.round, round);
      EXPECT_GE(slot.end_ns - now, 3 * kMs);
      EXPECT_LE(slot.end_ns - now, 5 * kMs);
      ++times[slot.event];
      order.push_back(slot.event);
      now = slot.end_ns;
    }
    for (const auto& [event, n] : times) EXPECT_EQ(n, 2) << event;
    EXPECT_EQ(times.size(), 3u);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 60u);  // of 90
}

TEST(SlotSchedule, KeepsFixedSlotsOnTheirGridWhenLate) {
  SlotSchedule schedule(2, {{4 * kMs, 0}}, 1);
  double now = 0;
  for (int i = 0; i < 100; ++i) {
    const auto slot = schedule.next(now);
    EXPECT_EQ(slot.event, static_cast<std::uint32_t>(i % 2));
    EXPECT_DOUBLE_EQ(slot.end_ns, (i + 1) * 4 * kMs);
    now = slot.end_ns + 0.07 * kMs;
  }
}

TEST(SlotSchedule, LengthensSlotsFromTheNextRoundOn) {
  SlotSchedule schedule(2, {{4 * kMs, 0.25}}, 1);
  EXPECT_LE(schedule.next(0).end_ns, 5 * kMs);
  schedule.stretch(10);
  for (int i = 0; i < 3; ++i) EXPECT_LE(schedule.next(0).end_ns, 5 * kMs);
  EXPECT_GE(schedule.next(0).end_ns, 30 * kMs);
}

// 4 ms of reads, 4 ms of writes; slots of 4 ms in turn. The shares say 50 / 50 and the count is twice the truth.
TEST(SlotAliasing, FixedSlotsOfTheLoadsPeriodAreFlagged) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto load = square(1e-3, 8 * kMs, 0.05 * kMs);
    const auto alone = simulate(load, 2, {{4 * kMs, 0}}, 3 * kSecond, seed);
    const auto a = estimate(alone.slots, 0, 3 * kSecond);
    EXPECT_NEAR(a.share, 0.5, 0.01);
    EXPECT_GT(a.total / alone.truth, 1.9);
    EXPECT_LT(a.total / alone.truth, 2.0);
    const auto other = simulate(load, 2, {{7 * kMs, 0}}, 3 * kSecond, seed);
    EXPECT_TRUE(aliased(a, estimate(other.slots, 0, 3 * kSecond)));
    const auto both = simulate(load, 2, {{4 * kMs, 0}, {7 * kMs, 0}}, 3 * kSecond, seed);
    EXPECT_TRUE(compare(both.slots, 0, 3 * kSecond).aliased) << seed;
  }
}

TEST(SlotAliasing, JitteredSlotsHoldTheTruthAndAreNotFlagged) {
  int held = 0, flagged = 0, flagged_in_one = 0;
  constexpr int kRuns = base::kSanitized ? 200 : 1'000;
  for (int seed = 1; seed <= kRuns; ++seed) {
    base::Prng random(static_cast<std::uint64_t>(seed));
    const auto load = square(1e-3, 8 * kMs, random.unit() * 8 * kMs);
    const auto run = simulate(load, 2, {{4 * kMs, 0.25}}, 3 * kSecond, static_cast<std::uint64_t>(seed));
    const auto e = estimate(run.slots, 0, 3 * kSecond, 0.99);
    held += e.low <= run.truth && run.truth <= e.high;
    const auto both =
        simulate(load, 2, {{4 * kMs, 0.25}, {7 * kMs, 0.25}}, 3 * kSecond, static_cast<std::uint64_t>(seed));
    flagged += compare(both.slots, 0, 3 * kSecond).aliased;
    flagged_in_one += locked(run.slots, 0);
  }
  EXPECT_GE(held, kRuns * 98 / 100);
  EXPECT_LE(flagged, 3);
  EXPECT_LE(flagged_in_one, 3);
}

TEST(SlotAliasing, LoadsWithoutAMatchingPeriodAreNotFlagged) {
  int flagged = 0, in_one = 0, between = 0;
  for (const auto& model : kModels) {
    for (std::uint64_t seed = 1; seed <= (base::kSanitized ? 60 : 300); ++seed) {
      base::Prng random(seed * 31);
      for (const double jitter : {0.0, 0.25}) {
        const auto run = simulate(model.make(random), 2, {{4 * kMs, jitter}, {7 * kMs, jitter}}, 2 * kSecond, seed);
        const auto both = compare(run.slots, 0, 2 * kSecond);
        flagged += both.aliased;
        between += aliased(both.a, both.b);
        in_one += locked(run.slots, 0);
      }
    }
  }
  EXPECT_LE(flagged, 4);  // of 3600
  EXPECT_LE(between, 4);
  EXPECT_LE(in_one, 4);
}

TEST(SlotAliasing, ALoadLockedToTheSlotsShowsInSlotHalves) {
  const auto run = simulate(square(1e-3, 8 * kMs, 2 * kMs), 2, {{4 * kMs, 0}}, 2 * kSecond, 5);
  EXPECT_TRUE(locked(run.slots, 0));
}

TEST(SlotAliasing, EachSlotPlanAloneHoldsTheTruth) {
  int held = 0;
  constexpr int kRuns = 500;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    base::Prng random(seed);
    const auto run =
        simulate(bursts(random, 1e-4, 5 * kMs, 10 * kMs), 2, {SlotPlan{}, {7 * kMs, 0.25}}, 4 * kSecond, seed);
    const auto both = compare(run.slots, 0, 4 * kSecond, 0.99);
    for (const auto& e : {both.a, both.b}) held += e.low <= run.truth && run.truth <= e.high;
  }
  EXPECT_GE(held, 2 * kRuns * 98 / 100);
}

TEST(SlotAliasing, EstimatesWithOverlappingIntervalsAreNotAliased) {
  const Estimate a{100, 90, 110, 0.99, 50, 0.5, false}, near{108, 98, 118, 0.99, 50, 0.5, false},
      far{200, 190, 210, 0.99, 50, 0.5, false};
  EXPECT_FALSE(aliased(a, near));
  EXPECT_TRUE(aliased(a, far));
  EXPECT_TRUE(aliased(far, a));
  EXPECT_FALSE(aliased(a, Estimate{200, 5, INFINITY, 0, 1, 0.1, false}));
}

TEST(SlotSum, AddsTotalsAndSquaredHalfWidths) {
  const Estimate a{100, 97, 103, 0.99, 50, 0.5, false}, b{200, 196, 204, 0.99, 50, 0.5, true};
  const Estimate both[] = {a, b};
  const auto s = sum(both);
  EXPECT_DOUBLE_EQ(s.total, 300);
  EXPECT_DOUBLE_EQ(s.low, 295);
  EXPECT_DOUBLE_EQ(s.high, 305);
  EXPECT_TRUE(s.few);
  EXPECT_EQ(s.slots, 100u);
}

// Turns of an event that slows what it counts: all intervals miss the truth, and no set of slots says so by itself.
TEST(EffectOfCounting, IsReportedInEveryRunWhereTheIntervalMissesTheTruth) {
  int missed = 0;
  for (std::uint64_t seed = 1; seed <= 36; ++seed) {
    base::Prng random(seed * 7919);
    const auto run = simulate_slowed(random, 0.7, kSecond, seed);
    const auto e = estimate(run.slots, 0, kSecond, 0.99);
    missed += run.truth < e.low || run.truth > e.high;
    const auto effect = effect_of_counting(run.slots, run.beside);
    ASSERT_TRUE(effect) << seed;
    EXPECT_EQ(effect->beside, 2u) << "not the page faults";
    EXPECT_NEAR(effect->event == 0 ? effect->during / effect->otherwise : effect->otherwise / effect->during, 0.7,
                0.05);
  }
  EXPECT_GE(missed, 34) << "the case is what it shall be";
}

TEST(EffectOfCounting, IsNotReportedForALoadThatCountingDoesNotSlow) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    base::Prng random(seed * 7919);
    auto run = simulate_slowed(random, 1, kSecond, seed);
    EXPECT_FALSE(effect_of_counting(run.slots, run.beside)) << seed;
    // and where it comes in bursts, or goes up and down with the time
    const auto load = seed % 2 == 0 ? bursts(random, 1e-3, 5 * kMs, 10 * kMs) : drifting(random, 1e-2, kSecond / 8);
    for (std::size_t i = 0; i < run.slots.size(); ++i)
      run.beside.grown[2 * i] = load(run.slots[i].start_ns, run.slots[i].start_ns + run.slots[i].length_ns);
    EXPECT_FALSE(effect_of_counting(run.slots, run.beside)) << seed;
  }
}

TEST(EffectOfCounting, IsNotReportedForOneEventOrWithoutAReferenceCount) {
  base::Prng random(1);
  auto run = simulate_slowed(random, 0.5, kSecond, 1);
  EXPECT_FALSE(effect_of_counting(run.slots, {}));
  for (auto& slot : run.slots) slot.event = 0;
  EXPECT_FALSE(effect_of_counting(run.slots, run.beside));
  EXPECT_FALSE(effect_of_counting({}, run.beside));
}

}  // namespace
}  // namespace fathom::pmu::slots
