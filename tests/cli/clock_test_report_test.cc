// The reports of `fathom clock test` on made-up entries, whose findings are known.
#include "cli/clock_test_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "clock/made_entries.h"

namespace fathom::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

ClockTestReport report_of(const clock::MadeTest& test, double ticks_per_second = 2e9) {
  ClockTestReport report;
  for (const auto& c : test.cpus) report.options.cpus.push_back(c.cpu);
  report.options.entries = test.entries;
  report.ticks_per_second = ticks_per_second;
  report.calibration = "made up";
  report.not_stored = "made up";
  BarrierResult result{clock::kDefaultBarrier, "some instruction", {}};
  result.run.findings = clock::analyse(test.record());
  result.run.took_ns = 1'500'000;
  report.results.push_back(result);
  return report;
}

TEST(ClockTestReport, APassSaysHowSmallAnOffsetShows) {
  const auto text = clock_test_text(report_of({.cpus = {{0}, {1}}}));
  EXPECT_THAT(text, HasSubstr("cross-core clock test: PASSED\n"));
  EXPECT_THAT(text, HasSubstr("CPUs 0-1, 4000 entries on each, 1.5 ms"));
  EXPECT_THAT(text, HasSubstr("an offset of 51 ns or more"));  // 101 ticks are 50.5 ns: never claimed smaller
  EXPECT_THAT(text, ContainsRegex("0     1 .*  50  .* 50  .* -  .* -  .* 51  \\+0 ± 50\n"));
  EXPECT_THAT(text, HasSubstr("This proves"));
  EXPECT_THAT(text, HasSubstr("verdict not kept: made up"));
}

TEST(ClockTestReport, AFailureNamesTheCpuAtFault) {
  const auto report = report_of({.cpus = {{0}, {1}, {4, -519}}, .entries = 8000});
  const auto text = clock_test_text(report);
  EXPECT_THAT(text, HasSubstr("FAILED"));
  EXPECT_THAT(text, HasSubstr("at fault: CPU 4"));
  EXPECT_THAT(text, HasSubstr("CPUs 0-1,4,"));
  EXPECT_THAT(text, HasSubstr("the first 8 of "));
  const auto json = nlohmann::json::parse(clock_test_json(report));
  EXPECT_EQ(json["verdict"], "failed");
  EXPECT_EQ(json["results"][0]["at_fault"], nlohmann::json::array({4}));
  EXPECT_EQ(json["results"][0]["first_mismatches"].size(), 8u);
  EXPECT_EQ(json["results"][0]["pairs"].size(), 3u);
  EXPECT_NEAR(json["results"][0]["pairs"][1]["offset_ns"].get<double>(), -519 / 2.0, 0.6);
}

TEST(ClockTestReport, WithoutARateTimesAreInTicks) {
  const auto text = clock_test_text(report_of({.cpus = {{0}, {1}}}, 0));
  EXPECT_THAT(text, HasSubstr("the counter's rate is not known (made up): times are in ticks"));
  EXPECT_THAT(text, HasSubstr("smallest gap (ticks)"));
  EXPECT_THAT(text, HasSubstr("an offset of 101 ticks or more"));
}

TEST(ClockTestReport, AnInjectionBelowTheGapIsWithinTheBound) {
  auto report = report_of({.cpus = {{0}, {1, 40}}});
  report.options.injections = {{1, 20, 0}};
  EXPECT_THAT(clock_test_text(report),
              HasSubstr("injected: CPU 1 +20 ns: within the bound, this test sees offsets from 71 ns up"));
  report = report_of({.cpus = {{0}, {1, 400}}});
  report.options.injections = {{1, 200, 0}};
  EXPECT_THAT(clock_test_text(report), HasSubstr("injected: CPU 1 +200 ns: seen"));
}

TEST(ClockTestReport, DriftAndPairsThatNeverMet) {
  const auto drifting = report_of({.cpus = {{0}, {1, 0, 500}}, .entries = 20000});
  EXPECT_THAT(clock_test_text(drifting), ContainsRegex("drifts by \\+[0-9]+ to \\+[0-9]+ ppm"));
  const auto pair = nlohmann::json::parse(clock_test_json(drifting))["results"][0]["pairs"][0];
  EXPECT_EQ(pair["steadiness"], "drifts");
  EXPECT_FALSE(pair.contains("offset_ns"));
  EXPECT_LE(pair["drift_low_ppm"].get<double>(), 500);
  EXPECT_GE(pair["drift_high_ppm"].get<double>(), 500);

  auto apart = report_of({.cpus = {{0}, {1}}});
  apart.results[0].run.findings = clock::analyse(std::vector<std::vector<clock::Entry>>{{{0, 0, 10}}, {{1, 1, 20}}});
  EXPECT_THAT(clock_test_text(apart), HasSubstr("NOT TESTED"));
  EXPECT_THAT(clock_test_text(apart), HasSubstr("never followed each other both ways"));
  EXPECT_FALSE(nlohmann::json::parse(clock_test_json(apart))["results"][0]["pairs"][0].contains("drift_low_ppm"));
}

TEST(ClockTestReport, OfManyCpusTheWorstPairs) {
  clock::MadeTest test{.cpus = {}, .entries = 500};
  for (unsigned i = 0; i < 16; ++i) test.cpus.push_back({i, i == 9 ? 3000 : 0});
  const auto text = clock_test_text(report_of(test));
  EXPECT_THAT(text, HasSubstr("(40 of 120 pairs, the worst; --json has all)"));
  EXPECT_THAT(text, HasSubstr("at fault: CPU 9"));
  EXPECT_EQ(nlohmann::json::parse(clock_test_json(report_of(test)))["results"][0]["pairs"].size(), 120u);
}

TEST(ClockTestReport, SeveralBarriersInOneTable) {
  auto report = report_of({.cpus = {{0}, {1}}});
  EXPECT_THAT(clock_test_text(report), Not(HasSubstr("The verdict is that of")));
  report.results.push_back({clock::Barrier::none, "none", report_of({.cpus = {{0}, {1, 519}}}).results[0].run});
  const auto text = clock_test_text(report);
  EXPECT_THAT(text, ContainsRegex("\n  none +none +FAILED +[0-9]+ +210 +310 "));
  EXPECT_THAT(text, HasSubstr("Where another barrier fails, the counter was read before its turn"));
}

}  // namespace
}  // namespace fathom::cli
