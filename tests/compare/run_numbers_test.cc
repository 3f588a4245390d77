// Which numbers of a run are compared: of a paced one the latency that its headline has, by name.
#include "compare/run_numbers.h"

#include <gtest/gtest.h>

#include "report/sample_run.h"

namespace fathom::compare {
namespace {

result::Job job_of(const char* name, std::uint64_t lat_ns, std::uint64_t due_ns = 0) {
  result::Job job;
  job.name = name;
  auto& d = job.dirs[0];
  d.ios = 1000, d.runtime_ns = 1'000'000'000;
  d.lat = d.clat = report::latency_of({lat_ns}, 1000);
  if (due_ns > 0) d.intended_lat = report::latency_of({due_ns}, 1000);
  job.rate.paced = due_ns > 0;
  return job;
}

std::optional<double> whole(const result::Run& run, const char* metric) {
  const auto numbers = numbers_of(run, std::vector<Metric>{*metric_named(metric)});
  const auto& number = numbers.parts[0].numbers[0];
  return number ? std::optional(number->value) : std::nullopt;
}

TEST(RunNumbers, OfAPacedRunTheHeadlinesLatencyIsCompared) {
  result::Run run;
  run.jobs = {job_of("a", 100'000, 600'000'000)};
  EXPECT_NEAR(*whole(run, "intended_lat_p99"), 600e6, 6e6);
  EXPECT_NEAR(*whole(run, "clat_p99"), 100e3, 1e3);
  EXPECT_EQ(numbers_of(run, {}).histogram_of, "intended_lat");
  EXPECT_TRUE(numbers_of(run, {}).paced);
}

TEST(RunNumbers, OfARunWithoutARateThereIsNone) {
  result::Run run;
  run.jobs = {job_of("a", 100'000)};
  EXPECT_FALSE(whole(run, "intended_lat_p99"));
  EXPECT_EQ(numbers_of(run, {}).histogram_of, "clat");
}

// As in the headline: without a rate an I/O is due when it is issued.
TEST(RunNumbers, WhereOnlyOneJobIsPacedTheWholeHasEachIosOwn) {
  result::Run run;
  run.jobs = {job_of("a", 100'000, 600'000'000), job_of("b", 200'000)};
  run.jobs[1].section = 1;
  EXPECT_NEAR(*whole(run, "intended_lat_mean"), 300.1e6, 1e5);
  const auto numbers = numbers_of(run, std::vector<Metric>{*metric_named("intended_lat_p99")});
  ASSERT_EQ(numbers.parts.size(), 3u);
  EXPECT_TRUE(numbers.parts[1].numbers[0]);
  EXPECT_FALSE(numbers.parts[2].numbers[0]) << "job b has none";
}

// Two jobs of a second each, one after the other: the rate of one.
TEST(RunNumbers, TheRateOfSeveralJobsIsOverTheirWholeTime) {
  result::Run run;
  run.jobs = {job_of("a", 100'000), job_of("b", 100'000)};
  run.jobs[1].section = 1;
  for (std::uint64_t i = 0; i < 2; ++i) {
    auto& d = run.jobs[i].dirs[0];
    d.begin_ns = i * 1'000'000'000, d.end_ns = (i + 1) * 1'000'000'000;
  }
  EXPECT_DOUBLE_EQ(*whole(run, "iops"), 1000);
}

}  // namespace
}  // namespace fathom::compare
