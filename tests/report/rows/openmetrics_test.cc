// The exposition of a small run, line by line, and the edges of histograms. tests/report/rows/openmetrics_test.py reads
// expositions with the parsers of Prometheus.
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "report/formats.h"
#include "small_run.h"

namespace fathom::report::rows {
namespace {

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(part) != std::string::npos) found.push_back(line);
  return found;
}

using Lines = std::vector<std::string>;

TEST(OpenMetrics, HasFamiliesInBaseUnitsAndEndsWithEof) {
  const auto text = openmetrics(small_run());
  EXPECT_EQ(text.find("# TYPE fathom_checks gauge\n"
                      "# HELP fathom_checks Result of the checks, always 1\n"
                      "fathom_checks{host=\"host\",checks=\"passed\",run_id=\"id-1\"} 1\n"
                      "# TYPE fathom_reported_epoch_seconds gauge\n"
                      "# UNIT fathom_reported_epoch_seconds seconds\n"
                      "# HELP fathom_reported_epoch_seconds End of the jobs, since 1970\n"
                      "fathom_reported_epoch_seconds{host=\"host\"} 1721999913.845\n"
                      "# TYPE fathom_findings_error gauge\n"
                      "# HELP fathom_findings_error Findings of the checks: error\n"
                      "fathom_findings_error{host=\"host\"} 0\n"),
            0u)
      << text;
  const std::string job = "{host=\"host\",job_name=\"t\",job_number=\"0\"}";
  const std::string read = "{host=\"host\",job_name=\"t\",job_number=\"0\",direction=\"read\"}";
  EXPECT_EQ(lines_with(text, "fathom_ios"),
            (Lines{"# TYPE fathom_ios counter", "# HELP fathom_ios Completed I/Os", "fathom_ios_total" + read + " 4"}));
  EXPECT_EQ(lines_with(text, "fathom_bytes"),
            (Lines{"# TYPE fathom_bytes counter", "# UNIT fathom_bytes bytes",
                   "# HELP fathom_bytes Bytes of completed I/Os", "fathom_bytes_total" + read + " 16384"}));
  EXPECT_EQ(lines_with(text, "fathom_bw").back(), "fathom_bw_bytes_per_second" + read + " 8192000");
  EXPECT_EQ(lines_with(text, "fathom_usr_cpu").back(), "fathom_usr_cpu_ratio" + job + " 0.125");
  EXPECT_EQ(lines_with(text, "fathom_runtime").back(), "fathom_runtime_seconds" + read + " 0.002");
  EXPECT_EQ(lines_with(text, "fathom_lat_mean").back(), "fathom_lat_mean_seconds" + read + " 0.000250075");
  EXPECT_EQ(lines_with(text, "fathom_lat_max").back(), "fathom_lat_max_seconds" + read + " 0.001");
  EXPECT_EQ(lines_with(text, "quantile=\"0.999\""),
            (Lines{"fathom_lat_quantile_seconds{host=\"host\",job_name=\"t\",job_number=\"0\",direction=\"read\","
                   "quantile=\"0.999\"} 0.001"}));
  EXPECT_TRUE(text.ends_with("\n# EOF\n")) << text;
}

TEST(OpenMetrics, AHistogramOfFewBucketsHasEveryEdge) {
  auto run = small_run();
  run.jobs[0].dirs[0].lat = latency_of({1, 1, 2});
  const auto text = openmetrics(run);
  const std::string of = "{host=\"host\",job_name=\"t\",job_number=\"0\",direction=\"read\"";
  EXPECT_EQ(lines_with(text, "fathom_lat_seconds"),
            (Lines{"# TYPE fathom_lat_seconds histogram", "# UNIT fathom_lat_seconds seconds",
                   "# HELP fathom_lat_seconds Latency from preparation to completion",
                   "fathom_lat_seconds_bucket" + of + ",le=\"0.0\"} 0",
                   "fathom_lat_seconds_bucket" + of + ",le=\"0.000000001\"} 2",
                   "fathom_lat_seconds_bucket" + of + ",le=\"0.000000002\"} 3",
                   "fathom_lat_seconds_bucket" + of + ",le=\"+Inf\"} 3", "fathom_lat_seconds_count" + of + "} 3",
                   "fathom_lat_seconds_sum" + of + "} 0.000000004"}));
}

TEST(OpenMetrics, AHistogramOfManyBucketsHasEveryEighthEdge) {
  const auto text = openmetrics(small_run());
  const auto buckets = lines_with(text, "fathom_lat_seconds_bucket");
  ASSERT_EQ(buckets.size(), 110u);
  const auto ends = [&](std::size_t i, const std::string& with) { return buckets[i].ends_with(with); };
  EXPECT_TRUE(ends(0, "le=\"0.000000095\"} 0")) << buckets[0];
  EXPECT_TRUE(ends(1, "le=\"0.000000103\"} 3")) << buckets[1];
  EXPECT_TRUE(ends(107, "} 3")) << buckets[107];
  EXPECT_TRUE(ends(108, "le=\"0.001048575\"} 4")) << buckets[108];
  EXPECT_TRUE(ends(109, "le=\"+Inf\"} 4")) << buckets[109];
}

TEST(OpenMetrics, NoHistogramHasMoreThan200Edges) {
  auto run = small_run();
  for (const std::uint64_t largest : {200ull, 5'000ull, 20'000ull, 1'000'000'000ull, ~0ull}) {
    run.jobs[0].dirs[0].lat = latency_of({0, largest});
    const auto buckets = lines_with(openmetrics(run), "fathom_lat_seconds_bucket");
    EXPECT_LE(buckets.size(), 200u) << largest;
    EXPECT_GT(buckets.size(), 98u) << largest;
    EXPECT_TRUE(buckets[buckets.size() - 2].ends_with(" 2")) << largest;
  }
}

TEST(OpenMetrics, AHistogramThatIsNotKnownIsAbsent) {
  auto run = small_run();
  run.jobs[0].dirs[0].lat.histogram_ns = {};
  const auto text = openmetrics(run);
  EXPECT_TRUE(lines_with(text, "histogram").empty()) << text;
  EXPECT_TRUE(lines_with(text, "quantile").empty()) << text;
  EXPECT_FALSE(lines_with(text, "fathom_lat_max_seconds{").empty()) << text;
}

TEST(OpenMetrics, SamplesOfAFamilyFollowEachOtherAndDifferInTheirLabels) {
  auto run = small_run();
  run.jobs.push_back(small_job());
  run.jobs[1].job_number = 1;
  const auto text = openmetrics(run);
  EXPECT_NE(text.find("# HELP fathom_ios Completed I/Os\n"
                      "fathom_ios_total{host=\"host\",job_name=\"t\",job_number=\"0\",direction=\"read\"} 4\n"
                      "fathom_ios_total{host=\"host\",job_name=\"t\",job_number=\"1\",direction=\"read\"} 4\n"),
            std::string::npos)
      << text;
}

TEST(OpenMetrics, EscapesLabels) {
  auto run = small_run();
  run.jobs[0].name = "a\"\\\n";
  EXPECT_NE(openmetrics(run).find("job_name=\"a\\\"\\\\\\\\n\","), std::string::npos) << openmetrics(run);
}

}  // namespace
}  // namespace fathom::report::rows
