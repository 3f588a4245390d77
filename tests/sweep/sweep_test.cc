// The order of a sweep, what it does with what comes of its runs, and what its history says, on a queue whose law is known.
#include "sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "stats/loads/mm1.h"
#include "sweep/outcome.h"
#include "sweep/summary.h"

namespace fathom::sweep {
namespace {

using stats::loads::testing::Mm1;
using stats::loads::testing::normal;
using ::testing::ElementsAre;

Asked asked_of(const std::vector<std::string>& over, const char* slo = nullptr) {
  Asked asked;
  for (const auto& text : over) asked.axes.push_back(*axis_of(text));
  asked.load = load_axis(asked.axes);
  asked.open_loop = asked.load && asked.axes[*asked.load].kind == LoadKind::rate;
  if (slo != nullptr) asked.slo = *slo_of(slo);
  asked.metrics = metrics_with(*latency_named("lat_p99", asked.open_loop), asked.open_loop);
  return asked;
}

Outcome outcome(const Asked& asked, double iops, double latency_ns) {
  Outcome out;
  out.iops = iops, out.ios = 1'000'000;
  for (const auto& metric : asked.metrics)
    out.numbers.emplace_back(metric.name == "iops" ? iops : metric.name == "bw" ? iops * 4096 : latency_ns);
  return out;
}

// A disk that is such a queue: open, at a rate of its own; without one it does what it can.
Outcome of_queue(const Asked& asked, const Step& step, base::Prng& random, double scatter = 0.01) {
  const Mm1 queue{10'000};
  const double load = step.load.value_or(queue.served_per_s);
  const double latency = load < 9990 ? queue.percentile_s(load, 0.99) * 1e9 : 10e9;
  auto out = outcome(asked, std::min(load, queue.served_per_s), latency * std::exp(scatter * normal(random)));
  if (step.load) out.delivered_percent = 100 * out.iops / load;
  return out;
}

void run_to_end(Sweep& sweep, std::uint64_t seed = 1) {
  base::Prng random(seed);
  while (const auto step = sweep.next()) sweep.add(of_queue(sweep.asked(), *step, random));
}

std::vector<std::string> settings(const Sweep& sweep, Stage stage) {
  std::vector<std::string> out;
  for (const auto& done : sweep.history())
    if (done.step.stage == stage) out.push_back(text_of(done.step.setting));
  return out;
}

TEST(Sweep, RunsEveryPointOnceARoundInAnotherOrder) {
  auto asked = asked_of({"iodepth=1..8", "bs=4k,8k"});
  asked.refine = 0;
  Sweep sweep(asked);
  EXPECT_EQ(sweep.runs_left(), 8u * 3 + 1);
  run_to_end(sweep);
  const auto runs = settings(sweep, Stage::grid);
  ASSERT_EQ(runs.size(), 8u * 3);
  std::set<std::vector<std::string>> orders;
  for (std::size_t round = 0; round < 3; ++round) {
    const auto begin = runs.begin() + static_cast<std::ptrdiff_t>(8 * round);
    EXPECT_EQ(std::set<std::string>(begin, begin + 8).size(), 8u);
    orders.insert(std::vector<std::string>(begin, begin + 8));
  }
  EXPECT_EQ(orders.size(), 3u);
  EXPECT_THAT(settings(sweep, Stage::again), ElementsAre(runs[0])) << "the first, last";
  EXPECT_EQ(sweep.history().back().step.stage, Stage::again);
  EXPECT_EQ(sweep.runs_left(), 0u);
}

// Of bytes where the rate is of bytes, and each job's and direction's part of it, as many as a curve has.
TEST(Sweep, SharesAreOfEachStreamAndOfTheRatesUnit) {
  auto asked = asked_of({"rate=50%", "numjobs=1,4"});
  asked.repeat = 1, asked.refine = 0;
  Sweep sweep(asked);
  while (const auto step = sweep.next()) {
    auto out = outcome(asked, 10'000, 1e6);
    out.bytes_per_s = 40'960'000;
    out.streams = step->setting[0].second == "4" ? 4 : 1;
    sweep.add(std::move(out));
  }
  const auto grid = settings(sweep, Stage::grid);
  EXPECT_EQ((std::set<std::string>(grid.begin(), grid.end())),
            (std::set<std::string>{"numjobs=1 rate=20500000", "numjobs=4 rate=5120000"}));
}

TEST(Sweep, SharesAreOfWhatItDoesWithoutARate) {
  auto asked = asked_of({"rate_iops=50%,100%", "bs=4k,8k"});
  asked.repeat = 1, asked.refine = 0;
  Sweep sweep(asked);
  base::Prng random(1);
  while (const auto step = sweep.next()) {
    auto out = of_queue(asked, *step, random);
    out.streams = 4;
    sweep.add(std::move(out));
  }
  EXPECT_EQ(settings(sweep, Stage::most).size(), 2u) << "each curve";
  const auto grid = settings(sweep, Stage::grid);
  EXPECT_EQ((std::set<std::string>(grid.begin(), grid.end())),
            (std::set<std::string>{"bs=4k rate_iops=1250", "bs=4k rate_iops=2500", "bs=8k rate_iops=1250",
                                   "bs=8k rate_iops=2500"}));
}

TEST(Sweep, TheGridIsRefinedAroundTheKnee) {
  auto asked = asked_of({"rate_iops=1000..9000*2"});
  Sweep sweep(asked);
  run_to_end(sweep);
  const auto refined = settings(sweep, Stage::refined);
  const std::set<std::string> points(refined.begin(), refined.end());
  EXPECT_GE(points.size(), 3u);
  EXPECT_EQ(refined.size(), points.size() * 3);
  const auto found = summary_of(sweep, "fathom", "job", false);
  ASSERT_TRUE(found.curves[0].knee);
  EXPECT_EQ(found.curves[0].knee->seen, "yes");
  EXPECT_LE(found.curves[0].knee->low, 5000);
  EXPECT_GE(found.curves[0].knee->high, 5000);
  EXPECT_LT(found.curves[0].knee->high / found.curves[0].knee->low, 2.6);
}

TEST(Sweep, TheBracketHoldsTheLimitsLoad) {
  const Mm1 queue{10'000};
  const double truth = queue.load_at(0.001, 0.99);
  int held = 0, narrow = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    auto asked = asked_of({"rate_iops=10%..100%+10%"}, "lat_p99<1ms");
    asked.repeat = 1, asked.refine = 0, asked.seed = seed;
    Sweep sweep(asked);
    run_to_end(sweep, seed * 31);
    const auto found = summary_of(sweep, "fathom", "job", false);
    const auto& bracket = found.curves[0].bracket;
    ASSERT_TRUE(bracket && bracket->ended);
    if (!bracket->width_percent) continue;
    EXPECT_GE(bracket->meets->runs, 3u);
    EXPECT_GE(bracket->misses->runs, 3u);
    held += bracket->meets->load <= truth && truth <= bracket->misses->load ? 1 : 0;
    narrow += *bracket->width_percent <= 3 ? 1 : 0;
  }
  EXPECT_GE(held, 186);
  EXPECT_GE(narrow, 186);
}

TEST(Sweep, ADriftIsSeenInTheFirstPointAgain) {
  // Of what is no load too, where each value is a curve of its own.
  for (const char* over : {"iodepth=1..8", "ioengine=psync,libaio,io_uring"})
    for (const bool drifts : {false, true}) {
      auto asked = asked_of({over});
      asked.refine = 0;
      Sweep sweep(asked);
      base::Prng random(3);
      double factor = 1;
      while (const auto step = sweep.next()) {
        sweep.add(outcome(asked, 1000 * factor, 1e6 * std::exp(0.002 * normal(random)) / factor));
        if (drifts) factor *= 0.99;
      }
      const auto found = summary_of(sweep, "fathom", "job", false);
      ASSERT_TRUE(found.again);
      EXPECT_EQ(found.again->beyond, drifts) << found.again->latency_percent;
      const bool told = std::any_of(found.findings.begin(), found.findings.end(),
                                    [](const auto& f) { return f.id == "sweep.drift"; });
      EXPECT_EQ(told, drifts);
    }
}

TEST(Sweep, OfOneRunPerPointALargeChangeIsADrift) {
  for (const double factor : {1.2, 30.0}) {
    auto asked = asked_of({"bs=4k,16k"});
    asked.refine = 0, asked.repeat = 1;
    Sweep sweep(asked);
    for (int i = 0; const auto step = sweep.next(); ++i) sweep.add(outcome(asked, i == 0 ? 1000 : 1000 * factor, 1e6));
    const auto found = summary_of(sweep, "fathom", "job", false);
    ASSERT_TRUE(found.again);
    EXPECT_EQ(found.again->beyond, factor > 2);
  }
}

TEST(Sweep, ALatencyThatLeavesOutTheWaitIsAFinding) {
  auto asked = asked_of({"rate_iops=1000,2000"});
  asked.metrics[0] = *compare::metric_named("clat_p99");
  Sweep sweep(asked);
  run_to_end(sweep);
  const auto found = summary_of(sweep, "fathom", "job", false);
  EXPECT_TRUE(
      std::any_of(found.findings.begin(), found.findings.end(), [](const auto& f) { return f.id == "sweep.latency"; }));
  EXPECT_EQ(asked_of({"rate_iops=1,2"}).metrics[0].name, "intended_lat_p99");
  EXPECT_EQ(asked_of({"iodepth=1,2"}).metrics[0].name, "lat_p99");
}

// A short run of drawn moments has a few I/Os more or less than its rate; a queue that grows has not what it was asked for.
TEST(Sweep, WhatTheDrawLeftOutIsNotBehind) {
  const auto asked = asked_of({"rate_iops=100,200"});
  for (const double kept : {96.0, 80.0}) {
    Sweep sweep(asked);
    while (const auto step = sweep.next()) {
      auto out = outcome(asked, 100, 1e6);
      out.ios = 1000, out.delivered_percent = kept;
      sweep.add(std::move(out));
    }
    const auto found = summary_of(sweep, "fathom", "job", false);
    const bool told = std::any_of(found.findings.begin(), found.findings.end(),
                                  [](const auto& f) { return f.id == "sweep.saturated"; });
    EXPECT_EQ(told, kept < 90);
  }
}

// Some runs fail: the others are the sweep's; a search in which all fail ends.
TEST(Sweep, AFailedRunIsToldAndTheOthersStay) {
  auto asked = asked_of({"rate_iops=1000..8000"}, "lat_p99<1ms");
  asked.refine = 0;
  Sweep sweep(asked);
  base::Prng random(1);
  while (const auto step = sweep.next()) {
    auto out = of_queue(asked, *step, random);
    if (sweep.history().size() == 4 || step->stage == Stage::search) out.failure = "it failed";
    sweep.add(std::move(out));
  }
  const auto found = summary_of(sweep, "fathom", "job", false);
  std::uint64_t runs = 0, failed = 0;
  for (const auto& point : found.curves[0].points) runs += point.runs, failed += point.failed;
  EXPECT_EQ(runs, 11u);
  EXPECT_EQ(failed, 1u + 3);
  EXPECT_FALSE(found.curves[0].bracket->ended);
}

// What scatter makes of depths that change nothing is no knee: the engine does one I/O at a time, or the job limits itself.
TEST(Sweep, ADepthWithoutEffectHasNoKnee) {
  const auto asked = asked_of({"iodepth=1..16"});
  for (const bool one_at_a_time : {false, true}) {
    Sweep sweep(asked);
    base::Prng random(3);
    while (const auto step = sweep.next()) {
      auto out = outcome(asked, 10'000 * std::exp(0.01 * normal(random)), 100'000);
      if (one_at_a_time && step->load.value_or(1) > 1) out.findings = {{"delivery.synchronous", "the depth was 1"}};
      sweep.add(std::move(out));
    }
    const auto found = summary_of(sweep, "", "", false);
    EXPECT_EQ(found.curves[0].knee->seen, one_at_a_time ? "no effect" : "flat");
  }
}

TEST(Sweep, RunsWhoseChecksFailedAreCounted) {
  const auto asked = asked_of({"iodepth=1..4"});
  Sweep sweep(asked);
  while (const auto step = sweep.next()) {
    auto out = outcome(asked, 10'000, 100'000);
    if (step->load == 4) out.failed_by = {"audit.holes"};
    sweep.add(std::move(out));
  }
  const auto found = summary_of(sweep, "", "", false);
  EXPECT_GE(found.failed_runs, 3u);
  EXPECT_LT(found.failed_runs, found.runs);
  EXPECT_THAT(found.failed_by, ElementsAre("audit.holes"));
}

TEST(Sweep, NeighboursAreNoWideBracket) {
  auto asked = asked_of({"iodepth=1..64"}, "lat_p99<1050us");
  asked.refine = 0;
  Sweep sweep(asked);
  base::Prng random(1);
  while (const auto step = sweep.next())
    sweep.add(outcome(asked, 1000, *step->load * 1e5 * std::exp(0.003 * normal(random))));
  const auto found = summary_of(sweep, "fathom", "job", false);
  ASSERT_TRUE(found.curves[0].bracket->width_percent);
  EXPECT_EQ(found.curves[0].bracket->meets->load, 10);
  EXPECT_EQ(found.curves[0].bracket->misses->load, 11);
  for (const auto& finding : found.findings) EXPECT_NE(finding.id, "sweep.wide");
}

// What is not a load is a table: no knee, no search.
TEST(Sweep, OfWhatIsNoLoadThereIsNoCurve) {
  Sweep sweep(asked_of({"ioengine=psync,libaio"}));
  run_to_end(sweep);
  EXPECT_EQ(sweep.history().size(), 2u * 3 + 1);
  const auto found = summary_of(sweep, "fathom", "job", false);
  ASSERT_EQ(found.curves.size(), 2u);
  EXPECT_FALSE(found.curves[0].knee);
}

TEST(Sweep, GoesOnFromItsHistory) {
  const auto asked = asked_of({"rate_iops=10%..100%+10%"}, "lat_p99<1ms");
  Sweep first(asked);
  run_to_end(first);
  Sweep second(asked);
  for (const auto& done : first.history()) {
    const auto step = second.next();
    ASSERT_TRUE(step);
    ASSERT_EQ(text_of(step->setting), text_of(done.step.setting));
    ASSERT_EQ(step->stage, done.step.stage);
    second.add(done.outcome);
  }
  EXPECT_FALSE(second.next());
}

TEST(Slo, IsALatencyAndATime) {
  const auto slo = slo_of("lat_p99<500us");
  ASSERT_TRUE(slo);
  EXPECT_EQ(slo->limit_ns, 500'000);
  EXPECT_EQ(slo->metric.name, "lat_p99");
  EXPECT_TRUE(slo_of("clat_p99.9 < 1.5ms"));
  for (const char* text :
       {"", "lat_p99", "iops<500us", "lat_p99<500", "lat_p99<x", "lat_p99<0us", "lat_p99>5us", "access_p99<1us"})
    EXPECT_FALSE(slo_of(text)) << text;
}

}  // namespace
}  // namespace fathom::sweep
