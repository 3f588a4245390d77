// The reports of `fathom clock test` on made-up entries, whose findings are known.
#include "session/clocks/clock_test_result.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "clock/made_entries.h"
#include "import/result_json.h"
#include "report/document.h"
#include "report/formats.h"

namespace fathom::cli::clock_commands {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

using result::ClockTest;

result::BarrierTest barrier_of(const std::vector<std::vector<clock::cores::Entry>>& streams,
                               double ticks_per_second = 2e9,
                               clock::cores::Barrier barrier = clock::cores::kDefaultBarrier) {
  clock::cores::TestRun run;
  run.findings = clock::cores::analyse(streams);
  run.took_ns = 1'500'000;
  return session::clocks::barrier_test(barrier, "some instruction", run, ticks_per_second);
}

ClockTest report_of(const clock::MadeTest& test, double ticks_per_second = 2e9) {
  ClockTest report;
  for (const auto& c : test.cpus) report.cpus.push_back(c.cpu);
  report.entries_per_cpu = test.entries;
  report.ticks_per_second = ticks_per_second;
  report.calibration = "made up";
  report.not_stored = "made up";
  report.barrier = report.barrier_of_runs = row(clock::cores::kDefaultBarrier).name;
  report.results.push_back(barrier_of(test.record(), ticks_per_second));
  return report;
}

// What is printed of a result is what is printed of its file.
std::string clock_test_json(const ClockTest& made) { return report::clock_test_json(report::as_stored(made)); }
std::string clock_test_text(const ClockTest& made) {
  const auto test = report::as_stored(made);
  const auto stored = import::read_stored(report::clock_test_json(test), "test.json");
  EXPECT_TRUE(stored.ok()) << stored.error().what;
  const auto text = report::clock_test_text(test);
  const auto again = stored.ok() ? *stored : result::Stored();
  EXPECT_EQ(report::report_in(std::vector<std::string>{"text"}, again), text);
  EXPECT_EQ(report::report_in(std::vector<std::string>{"json"}, again), report::clock_test_json(test));
  return text;
}

TEST(ClockTestReport, APassStatesTheSmallestDetectableOffset) {
  const auto text = clock_test_text(report_of({.cpus = {{0}, {1}}}));
  EXPECT_THAT(text, HasSubstr("cross-core clock test: PASSED\n"));
  EXPECT_THAT(text, HasSubstr("CPUs 0-1, 4000 entries on each, 1.5 ms"));
  EXPECT_THAT(text, HasSubstr("an offset of 51 ns or more"));  // 101 ticks are 50.5 ns: never claimed smaller
  EXPECT_THAT(text, ContainsRegex("0     1 .*  50  .* 50  .* -  .* -  .* 51  \\+0 ± 50\n"));
  EXPECT_THAT(text, HasSubstr("This proves"));
  EXPECT_THAT(text, HasSubstr("verdict not stored: made up"));
}

TEST(ClockTestReport, AFailureNamesTheCpuAtFault) {
  const auto report = report_of({.cpus = {{0}, {1}, {4, -519}}, .entries = 8000});
  const auto text = clock_test_text(report);
  EXPECT_THAT(text, HasSubstr("FAILED"));
  EXPECT_THAT(text, HasSubstr("at fault: CPU 4"));
  EXPECT_THAT(text, HasSubstr("CPUs 0-1,4,"));
  EXPECT_THAT(text, HasSubstr("the first 8 of "));
  const auto parsed = nlohmann::json::parse(clock_test_json(report));
  EXPECT_EQ(parsed["verdict"], "failed");
  EXPECT_EQ(parsed["results"][0]["at_fault"], nlohmann::json::array({4}));
  EXPECT_EQ(parsed["results"][0]["first_mismatches"].size(), 8u);
  EXPECT_EQ(parsed["results"][0]["pairs"].size(), 3u);
  EXPECT_NEAR(parsed["results"][0]["pairs"][1]["offset_ns"].get<double>(), -519 / 2.0, 0.6);
}

TEST(ClockTestReport, WithoutARateTimesAreInTicks) {
  const auto text = clock_test_text(report_of({.cpus = {{0}, {1}}}, 0));
  EXPECT_THAT(text, HasSubstr("the rate of the counter is unknown (made up): times are in ticks"));
  EXPECT_THAT(text, HasSubstr("smallest gap (ticks)"));
  EXPECT_THAT(text, HasSubstr("an offset of 101 ticks or more"));
}

// The line and the JSON's word for the injection of one CPU.
std::pair<std::string, std::string> injected(ClockTest report, unsigned cpu) {
  session::clocks::judge_injections(report);
  const auto text = clock_test_text(report);
  const auto at = text.find(fmt::format("injected: CPU {} ", cpu));
  std::string line = at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  const auto parsed = nlohmann::json::parse(clock_test_json(report));
  for (const auto& i : parsed["injected"])
    if (i["cpu"] == cpu) return {line, i["outcome"]};
  return {line, ""};
}

TEST(ClockTestReport, AnInjectionBelowTheGapIsWithinTheBound) {
  auto report = report_of({.cpus = {{0}, {1, 40}}});
  report.injected = {{1, 20, 0, {}, 0}};
  const auto [line, outcome] = injected(report, 1);
  EXPECT_EQ(line, "injected: CPU 1 +20 ns: within the bound: this test detects offsets of 71 ns or more");
  EXPECT_EQ(outcome, "within the bound");
}

TEST(ClockTestReport, AnInjectionAboveTheGapIsDetected) {
  auto report = report_of({.cpus = {{0}, {1, 400}}});
  report.injected = {{1, 200, 0, {}, 0}};
  EXPECT_EQ(injected(report, 1), std::pair(std::string("injected: CPU 1 +200 ns: seen"), std::string("seen")));
}

TEST(ClockTestReport, WithoutAComparisonAnInjectionIsNotTested) {
  auto report = report_of({.cpus = {{0}, {1, 40}}, .entries = 10});
  report.injected = {{1, 20, 0, {}, 0}};
  EXPECT_EQ(injected(report, 1).second, "not tested");
  EXPECT_THAT(injected(report, 1).first, HasSubstr("not tested, the CPUs could not be compared"));
  report = report_of({.cpus = {{1, 2000}}});
  report.injected = {{1, 1000, 0, {}, 0}};
  EXPECT_EQ(injected(report, 1).second, "alone");
  EXPECT_THAT(injected(report, 1).first, HasSubstr("not detectable: no other CPU"));
}

TEST(ClockTestReport, AFailureUnderAnotherBarrierLeavesAnInjectionUndecided) {
  auto report = report_of({.cpus = {{0}, {1, 400}}});
  report.results[0].barrier = report.barrier = "builtin";
  report.injected = {{1, 5, 0, {}, 0}};
  EXPECT_EQ(injected(report, 1).second, "untold");
  EXPECT_THAT(injected(report, 1).first, HasSubstr("with this barrier correct counters may disagree too"));
}

TEST(ClockTestReport, EachOfSeveralInjectionsIsJudgedAlone) {
  auto report = report_of({.cpus = {{0}, {1, 2000}, {2, 10}}, .entries = 8000});
  report.injected = {{1, 1000, 0, {}, 0}, {2, 5, 0, {}, 0}};
  EXPECT_EQ(injected(report, 1).second, "seen");
  EXPECT_EQ(injected(report, 2).second, "within the bound");
  EXPECT_THAT(injected(report, 2).first, HasSubstr("this test detects offsets of 56 ns or more"));  // of the pair 0, 2

  report = report_of({.cpus = {{0, 10}, {1, 2000}}});
  report.injected = {{0, 5, 0, {}, 0}, {1, 1000, 0, {}, 0}};
  EXPECT_EQ(injected(report, 0).second, "seen between");
  EXPECT_EQ(injected(report, 1).second, "seen between");
  EXPECT_THAT(injected(report, 0).first, HasSubstr("no CPU was left unchanged"));
}

TEST(ClockTestReport, PairsComparedThroughOthersHaveAWiderBound) {
  const clock::MadeCpu cpus[] = {{0}, {1, 30}, {2, 60}, {3, 90}};
  const std::size_t path[] = {0, 1, 2, 3, 2, 1};
  auto report = report_of({.cpus = {{0}, {1}, {2}, {3}}});
  report.results[0] = barrier_of(clock::along(cpus, path, 100, 40));
  const auto text = clock_test_text(report);
  EXPECT_THAT(text, HasSubstr("an offset of 106 ns or more"));  // 211 ticks
  EXPECT_THAT(text, ContainsRegex("\n +0 +3 +0 +0 +- +- +- +- +106  no hand-overs in both directions\n"));
  const auto result = nlohmann::json::parse(clock_test_json(report))["results"][0];
  EXPECT_EQ(result["detectable_ticks"], 211);
  EXPECT_EQ(result["pairs"][2]["steadiness"], "unknown");
  EXPECT_EQ(result["pairs"][2]["detectable_ticks"], 211);
  EXPECT_FALSE(result["pairs"][2].contains("offset_ns"));
}

TEST(ClockTestReport, DriftAndUncomparedPairsAreReported) {
  const auto drifting = report_of({.cpus = {{0}, {1, 0, 500}}, .entries = 20000});
  EXPECT_THAT(clock_test_text(drifting), ContainsRegex("drifts by \\+[0-9]+ to \\+[0-9]+ ppm"));
  const auto pair = nlohmann::json::parse(clock_test_json(drifting))["results"][0]["pairs"][0];
  EXPECT_EQ(pair["steadiness"], "drifts");
  EXPECT_FALSE(pair.contains("offset_ns"));
  EXPECT_LE(pair["drift_low_ppm"].get<double>(), 500);
  EXPECT_GE(pair["drift_high_ppm"].get<double>(), 500);

  auto apart = report_of({.cpus = {{0}, {1}}});
  apart.results[0] = barrier_of({{{0, 0, 10}}, {{1, 1, 20}}});
  EXPECT_THAT(clock_test_text(apart), HasSubstr("NOT TESTED"));
  EXPECT_THAT(clock_test_text(apart), HasSubstr("no hand-overs in both directions"));
  EXPECT_FALSE(nlohmann::json::parse(clock_test_json(apart))["results"][0]["pairs"][0].contains("drift_low_ppm"));
  EXPECT_FALSE(nlohmann::json::parse(clock_test_json(apart))["results"][0]["pairs"][0].contains("detectable_ticks"));
  EXPECT_EQ(nlohmann::json::parse(clock_test_json(apart))["results"][0]["detectable_ticks"], 0);
}

TEST(ClockTestReport, OfManyCpusTheWorstPairsAreShown) {
  clock::MadeTest test{.cpus = {}, .entries = 500};
  for (unsigned i = 0; i < 16; ++i) test.cpus.push_back({i, i == 9 ? 3000 : 0});
  const auto text = clock_test_text(report_of(test));
  EXPECT_THAT(text, HasSubstr("(the worst 40 of 120 pairs; --json prints all)"));
  EXPECT_THAT(text, HasSubstr("at fault: CPU 9"));
  EXPECT_EQ(nlohmann::json::parse(clock_test_json(report_of(test)))["results"][0]["pairs"].size(), 120u);
}

TEST(ClockTestReport, SeveralBarriersShareATable) {
  auto report = report_of({.cpus = {{0}, {1}}});
  EXPECT_THAT(clock_test_text(report), Not(HasSubstr("The verdict is that of")));
  report.results.push_back(
      barrier_of(clock::MadeTest{.cpus = {{0}, {1, 519}}}.record(), 2e9, clock::cores::Barrier::none));
  report.results[1].instruction = "none";
  const auto text = clock_test_text(report);
  EXPECT_THAT(text, ContainsRegex("\n  none +none +FAILED +[0-9]+ +210 +310 "));
  EXPECT_THAT(text, HasSubstr("If another barrier fails, the counter was read too early"));
}

}  // namespace
}  // namespace fathom::cli::clock_commands
