// Whole reports of fixed results, character for character.
#include <gtest/gtest.h>

#include <cstdlib>

#include "files.h"
#include "report/details/details.h"
#include "report/formats.h"
#include "report/normal.h"
#include "report/parts/shown.h"
#include "sample_run.h"

namespace fathom::report {
namespace {

class GoldenReport : public testing::Test {
 protected:
  void SetUp() override { setenv("TZ", "UTC", 1); }
};

TEST_F(GoldenReport, TextOfASimpleRunIsUnchanged) { expect_golden("simple.txt", normal(simple_run())); }
TEST_F(GoldenReport, TextOfAGroupedRunIsUnchanged) { expect_golden("grouped.txt", normal(grouped_run())); }
TEST_F(GoldenReport, TextOfARunWithErrorsIsUnchanged) { expect_golden("troubled.txt", normal(troubled_run())); }
TEST_F(GoldenReport, JsonOfASimpleRunIsUnchanged) { expect_folded("simple.json", json(simple_run())); }
TEST_F(GoldenReport, JsonPlusOfAGroupedRunIsUnchanged) { expect_folded("grouped.json", json_plus(grouped_run())); }
TEST_F(GoldenReport, JsonOfARunWithErrorsIsUnchanged) { expect_folded("troubled.json", json(troubled_run())); }
TEST_F(GoldenReport, TextOfAQueueRunIsUnchanged) { expect_golden("queue.txt", normal(queue_run())); }
TEST_F(GoldenReport, JsonOfAQueueRunIsUnchanged) { expect_folded("queue.json", json(queue_run())); }
TEST_F(GoldenReport, SpdkHistogramOfAQueueRunIsUnchanged) {
  expect_golden("queue.spdk.txt", spdk_histogram(queue_run()));
}

TEST_F(GoldenReport, DetailsOfASimpleRunAreUnchanged) {
  expect_golden("simple.details.txt", details::details(parts::shown(simple_run())));
}
TEST_F(GoldenReport, PlotsOfASimpleRunAreUnchanged) {
  auto run = simple_run();
  for (std::uint64_t i = 1; i <= 8; ++i) run.jobs[0].dirs[0].series.push_back({i * 500, 500, i * 4096'000, i * 1000});
  run.jobs[0].steady_state.emplace().lat_ns = {120e3, 110e3, 100e3};
  expect_golden("simple.plot.txt", plot(run) + plot_ascii(run));
}

TEST_F(GoldenReport, NormalIsPreambleAndResults) {
  const auto run = grouped_run();
  EXPECT_EQ(normal(run), opening(run) + preamble(run) + results(run));
}

// Our own section must add nothing to a grep for fio's lines.
TEST_F(GoldenReport, OwnSectionHasNoLineThatLooksLikeFios) {
  for (const auto& run : {simple_run(), grouped_run(), troubled_run(), queue_run()}) {
    const std::string text = verbose(run);
    const std::string own =
        opening(run) + text.substr(text.find("\nfathom 0.1.0 (commit 0123456789ab), schema")) + plot(run);
    for (const char* word :
         {"IOPS=", "BW=", "bw=", "lat (", "avg=", "percentiles (", "ios=", "util=", "err=", "cpu  ", "issued rwts"})
      EXPECT_EQ(own.find(word), std::string::npos) << word;
  }
}

TEST(ReportClockLine, NamesTheReasonAndRemedyOfAFailedCrossCoreTest) {
  auto run = simple_run();
  auto& clock = run.jobs[0].clock;
  clock.verdict = "not tested";
  clock.test = "none";
  clock.reason = "the CPU clock is invariant: CPU 1 did not come to run; make the long test";
  EXPECT_NE(normal(run).find("not tested: the CPU clock is invariant: CPU 1 did not come to run; make the long test;"),
            std::string::npos)
      << normal(run);
}

TEST(ReportClockLine, ShowsTheBestKnownDriftOfThisBootFirst) {
  auto run = simple_run();
  auto& clock = run.jobs[0].clock;
  clock.boot_drift_ppm = 0.001;
  clock.boot_drift_bound_ppm = 0.004;
  clock.boot_drift_over_s = 12;
  EXPECT_NE(
      normal(run).find("; drift below 0.005 ppm, the value stored for this boot (a run of 12 s; over this run alone "
                       "below 0.75 ppm)"),
      std::string::npos)
      << normal(run);
  EXPECT_NE(json(run).find("\"boot_drift_over_s\" : 12"), std::string::npos);
}

// Two repetitions are no sample: their range stands where an interval would.
TEST(ReportRepeatLines, ShowARangeForTwoRunsAndAnIntervalForThree) {
  auto run = simple_run();
  run.repeated = {{"t", "read", "lat_p99", "ns", {11'800, 12'900}, 12'350, 777, 12'350, 11'800, 12'900}};
  EXPECT_NE(
      normal(run).find("  repeat t read lat_p99: median 12.3 us, mean 12.3 us, from 11.8 us to 12.9 us (2 runs)\n"),
      std::string::npos)
      << normal(run);
  EXPECT_NE(json(run).find("\"range_high\" : 12900"), std::string::npos);
  EXPECT_EQ(json(run).find("ci95"), std::string::npos);
  run.repeated[0].values.push_back(12'000);
  EXPECT_NE(normal(run).find("95 % interval 11.8 us to 12.9 us (3 runs)"), std::string::npos);
  EXPECT_NE(json(run).find("\"ci95_high\" : 12900"), std::string::npos);
}

TEST(FindFormat, FindsFormatsByName) {
  ASSERT_NE(find_format("json+"), nullptr);
  EXPECT_EQ(find_format("json+")->render, &json_plus);
  EXPECT_EQ(find_format("jsonx"), nullptr);
  EXPECT_EQ(find_format("spdk-l")->render, &spdk_summary);
  EXPECT_EQ(formats().size(), 22u);
}

}  // namespace
}  // namespace fathom::report
