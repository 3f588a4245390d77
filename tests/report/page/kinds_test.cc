// The pages of comparisons, sweeps, counts, clocks and the doctor: the verdict first, whatever the result has, and no
// name is markup.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/page/page.h"
#include "report/paging_run.h"

namespace fathom::report::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMarkup = "<img src=x onerror=\"a('b')\">";

void expect_in_order(const std::string& text, const std::vector<std::string>& words) {
  std::size_t at = 0;
  for (const auto& word : words) {
    const auto next = text.find(word, at);
    ASSERT_NE(next, text.npos) << word << " is missing, or too early, in\n" << text.substr(text.find("<main>"), 6000);
    at = next + word.size();
  }
}

// Without scripts and styles.
std::string shown(const result::Stored& stored) {
  const auto html = of_one(stored);
  const auto begin = html.find("<main>");
  return html.substr(begin, html.find("</main>") - begin);
}

result::Change change_of(result::Told told, double percent) {
  result::Change change;
  change.side = "B", change.told = told, change.percent = percent;
  change.low_percent = percent - 1, change.high_percent = percent + 1, change.confidence = 0.95;
  return change;
}

result::ComparedMetric metric_of(const char* name, const char* unit, double a, double b, result::Change change) {
  result::ComparedMetric metric;
  metric.name = name, metric.unit = unit;
  metric.sides = {{"A", a, 0, {}}, {"B", b, 0, {}}};
  metric.changes = {std::move(change)};
  return metric;
}

result::Compare compared() {
  result::Compare compare;
  compare.margin_percent = 2, compare.histogram_of = "lat";
  compare.sides.resize(2);
  compare.sides[0].name = "A", compare.sides[0].files = "old.json", compare.sides[0].runs = 3;
  compare.sides[1].name = "B", compare.sides[1].files = kMarkup, compare.sides[1].runs = 3;
  compare.metrics = {metric_of("iops", "1/s", 10'000, 12'000, change_of(result::Told::faster, 20)),
                     metric_of("lat_p99", "ns", 1e6, 2e6, change_of(result::Told::slower, 100)),
                     metric_of("lat_p50", "ns", 1e5, 1e5, change_of(result::Told::no_change, 0)),
                     metric_of("lat_mean", "ns", 1e5, 1e5, change_of(result::Told::cannot_tell, 0))};
  compare.metrics[0].primary = true;
  compare.differences = {{"job", "bs", false, {"4k", kMarkup}}};
  compare.warnings = {kMarkup};
  return compare;
}

TEST(ComparePage, HasTheVerdictFirstAndArrowsForBetterAndWorse) {
  const auto text = shown(result::Stored(compared()));
  expect_in_order(text, {"<h1>Comparison of A (old.json) and B (&lt;img",
                         "badge passed",
                         "▲",
                         "B is faster than A",
                         "iops of A and B",
                         "10.0k",
                         "12.0k",
                         "+20.0 %",
                         "95 % interval of the change",
                         "data-job=\"0\"",
                         "Metrics</h2>",
                         "▲</span> faster",
                         "▼</span> slower",
                         "=</span> no change",
                         "?</span> cannot tell",
                         "Distributions</h2>",
                         "data-job=\"1\"",
                         "What differs</h2>",
                         "Sides</h2>",
                         "The report as text"});
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, HasSubstr("<td class=\"n\">1.00 ms</td><td class=\"n\">2.00 ms</td>"));
}

TEST(ComparePage, AnInconclusiveOneHasItsReasonAndTheRunsNeeded) {
  auto compare = compared();
  auto& change = compare.metrics[0].changes[0];
  change = change_of(result::Told::cannot_tell, 1);
  change.reason = "two runs are too few", change.runs_needed = 9;
  compare.differences[0].unlike = true;
  expect_in_order(
      shown(result::Stored(compare)),
      {"badge unchecked", "?", "Cannot tell whether B differs from A",
       "Inconclusive: two runs are too few; about 9 runs per side would be enough.", "<b>The jobs differ</b> bs"});
}

TEST(ComparePage, FailedChecksPrecedeTheVerdict) {
  auto compare = compared();
  compare.sides[1].failed_runs = 2, compare.sides[1].failed_by = {"run.io_errors"};
  expect_in_order(shown(result::Stored(compare)), {"badge failed", "2 of 3 runs of B FAILED", "badge passed"});
}

TEST(ComparePage, ConditionsHaveTheirOutcome) {
  auto compare = compared();
  compare.conditions = {{"lat_p99>+5%", "B", "", result::Outcome::failed, "+100%"}};
  expect_in_order(shown(result::Stored(compare)), {"Conditions</h2>", "lat_p99&gt;+5%", "✕</span> failed"});
}

TEST(ComparePage, AnEmptyOneIsAPageToo) {
  EXPECT_THAT(shown(result::Stored(result::Compare())),
              HasSubstr("The recorded facts about jobs and hosts are equal."));
}

result::SweptPoint point_at(double load, double p99_ns) {
  result::SweptPoint point;
  point.load = load, point.runs = 3, point.stage = "grid", point.delivered_percent = 99.5;
  point.numbers = {{"iops", "1/s", load, load, load, {load, load}},
                   {"lat_p99", "ns", p99_ns, p99_ns * 0.9, p99_ns * 1.1, {p99_ns, p99_ns}}};
  return point;
}

result::Sweep swept() {
  result::Sweep sweep;
  sweep.job = kMarkup, sweep.load = "rate_iops", sweep.latency = "lat_p99", sweep.slo = "lat_p99<1ms",
  sweep.slo_ns = 1e6;
  sweep.over = {{"rate_iops", {"1000", "2000"}}};
  sweep.repeat = 3, sweep.runs = 6;
  result::SweptCurve curve;
  curve.points = {point_at(1000, 5e5), point_at(2000, 2e6)};
  curve.bracket.emplace();
  curve.bracket->ended = true, curve.bracket->width_percent = 10;
  curve.bracket->meets = {1000, true, 3, 5e5, 4e5, 6e5}, curve.bracket->misses = {2000, true, 3, 2e6, 1e6, 3e6};
  sweep.curves = {curve};
  return sweep;
}

TEST(SweepPage, HasTheLimitFirst) {
  const auto text = shown(result::Stored(swept()));
  expect_in_order(text, {"<h1>Sweep of &lt;img", "badge passed", "rate_iops=1000 meets it", "class=\"measured\"",
                         "Latency against load</h2>", "data-job=\"0\"", "1.00k", "500 us", "450 us to 550 us",
                         "✓</span> meets", "✕</span> misses", "Options</h2>", "The report as text"});
  EXPECT_THAT(text, Not(HasSubstr("<img")));
}

TEST(SweepPage, WithoutALimitFoundItSaysSo) {
  auto sweep = swept();
  sweep.curves[0].bracket = result::SweptBracket{};
  expect_in_order(shown(result::Stored(sweep)), {"badge unchecked", "not found before the sweep was stopped"});
  sweep.failed_runs = 2;
  expect_in_order(shown(result::Stored(sweep)), {"badge failed", "2 of 6 runs FAILED"});
  EXPECT_THAT(shown(result::Stored(result::Sweep())), HasSubstr("No limit and no load"));
}

TEST(SweepPage, EachCurveHasItsFigure) {
  auto sweep = swept();
  sweep.curves.push_back(sweep.curves[0]);
  sweep.curves[0].of = "bs=4k", sweep.curves[1].of = "bs=64k";
  expect_in_order(shown(result::Stored(sweep)), {"bs=4k</h2>", "data-job=\"0\"", "bs=64k</h2>", "data-job=\"1\""});
}

result::PmuStat counted_pmu() {
  result::PmuStat stat;
  stat.command = kMarkup, stat.elapsed_ns = {90'000'000'000};
  stat.rows.resize(2);
  stat.rows[0].event = "cycles", stat.rows[0].count = 1234567;
  stat.rows[1].event = "pcie/rx/", stat.rows[1].count = 100;
  stat.rows[1].rule = {result::PmuDirection::read, "64 bytes each"};
  stat.rows[1].bytes = {64, 6400, 104.8576, 1'000'000'000};
  stat.notes = {"a note"};
  return stat;
}

TEST(PmuPage, HasWhetherAllWasCountedFirst) {
  auto stat = counted_pmu();
  const auto text = shown(result::Stored(stat));
  expect_in_order(text, {"<h1>fathom pmu stat</h1>", "badge passed", "All events were counted all the time",
                         "1 min 30 s", "read bytes", "100 MiB/s", "Events</h2>", "1,234,567", "✓</span> counted",
                         "6.25 KiB", "Rules</h2>", "64 bytes each", "Notes</h2>", "a note"});
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, Not(HasSubstr("Over time")));
  stat.rows[0].state = result::PmuState::not_supported;
  expect_in_order(shown(result::Stored(stat)),
                  {"badge warnings", "1 of 2 events were not counted", "✕</span> not supported"});
  stat.rows[0].state = result::PmuState::counted;
  stat.rows[0].enabled_ns = 100, stat.rows[0].running_percent = 25;
  expect_in_order(shown(result::Stored(stat)), {"1 of 2 events shared a counter", "counted 25.0 % of the time"});
}

TEST(PmuPage, OfIntervalsHasAPlot) {
  auto stat = counted_pmu();
  stat.intervals = {{1'000'000, stat.rows}};
  expect_in_order(shown(result::Stored(stat)), {"Over time</h2>", "class=\"figures\"", "Events</h2>"});
}

TEST(DoctorPage, HasProblemsAsFindingsTheWorstFirst) {
  result::Doctor doctor{"fathom 1", {{"latency", ""}, {"layers", "BPF refused"}}, {}};
  result::DoctorCheck good{"clock", "cpu", {}, "", ""}, note{"BPF", kMarkup, {}, "", "run as root"}, bad = note;
  note.severity = result::Severity::note, note.cost = "no breakdown", bad.name = "governor";
  doctor.checks = {good, note, bad};
  const auto text = shown(result::Stored(doctor));
  expect_in_order(text, {"<h1>fathom doctor</h1>", "badge warnings", "1 warning", "1 note", "1 of 2 things",
                         "Findings</h2>", "finding warning", "governor", "finding note", "no breakdown",
                         "Can measure</h2>", "✕</span> no", "Checks</h2>", "✓</span> ok"});
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  doctor.checks = {good};
  expect_in_order(shown(result::Stored(doctor)), {"badge passed", "No warning", "No problem was found."});
  EXPECT_THAT(shown(result::Stored(result::Doctor())), HasSubstr("No check was made"));
}

TEST(ClockPage, OfATestHasItsVerdictAndPairs) {
  result::ClockTest test;
  test.barrier = test.barrier_of_runs = "lfence", test.cpus = {0, 1}, test.ticks_per_second = 2e9;
  test.not_stored = kMarkup;
  result::BarrierTest result;
  result.barrier = "lfence", result.verdict = result::TestOutcome::passed, result.text = "the clocks agree";
  result.detectable_ticks = 400;
  result::CpuPair pair;
  pair.b = 1, pair.a_to_b.hand_overs = 10, pair.a_to_b.smallest_gap_ticks = 200;
  pair.steadiness = result::Steadiness::steady, pair.offset_ticks = 20, pair.offset_bound_ticks = 100;
  result.pairs = {pair};
  test.results = {result};
  const auto text = shown(result::Stored(test));
  expect_in_order(
      text, {"badge passed", "PASSED", "the clocks agree", "smallest detectable offset", "200 ns", "Pairs of CPUs</h2>",
             "class=\"figures\"", "CPUs 0 and 1", "100 ns", "10.0 ns ± 50.0 ns", "Barriers</h2>"});
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  test.results[0].verdict = result::TestOutcome::failed;
  expect_in_order(shown(result::Stored(test)), {"badge failed", "FAILED", "cannot be compared by this counter"});
  test.ticks_per_second = 0;
  EXPECT_THAT(shown(result::Stored(test)), HasSubstr("400 ticks"));
  EXPECT_THAT(shown(result::Stored(result::ClockTest())), HasSubstr("NOT TESTED"));
}

TEST(ClockPage, OfSourcesHasTheChoiceFirst) {
  result::ClockSources all;
  all.clocksource = "cpu", all.reason = kMarkup, all.fit = true;
  result::ClockSource source;
  source.name = "rdtsc", source.clocksource = "cpu", source.for_runs = source.chosen = true;
  source.cost_ns = {8, 9.5, 20};
  all.sources = {source};
  const auto text = shown(result::Stored(all));
  expect_in_order(text, {"badge passed", "A run uses cpu", "Clocks</h2>", "class=\"figures\"", "✓</span> yes",
                         "9.50 ns", "CPU clock</h2>", "could not be calibrated"});
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  all.fell_back = true;
  EXPECT_THAT(shown(result::Stored(all)), HasSubstr("badge warnings"));
}

TEST(PagingPage, ABreakdownHasItsConfigurations) {
  auto run = paging_run();
  run.paging->workers.clear();
  result::PagingTableColumn column;
  column.name = kMarkup;
  column.rows[0] = {{100'000, 120'000}, 110'000, 100'000, 120'000};
  column.rows[2] = {{1e6, 2e6}, 1.5e6, 1e6, 2e6};
  run.paging->table2 = {column};
  const auto text = shown(result::Stored(run));
  expect_in_order(text,
                  {"class=\"first\"", "an access", "a major fault", "Configurations", "110 us (100 us to 120 us)"});
  EXPECT_THAT(text, Not(HasSubstr("<img")));
}

}  // namespace
}  // namespace fathom::report::page
