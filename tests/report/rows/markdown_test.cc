// The table as GitHub gets it: rows, what tells jobs of one name apart, and names that Markdown would read.
#include <gtest/gtest.h>

#include "report/formats.h"
#include "small_run.h"

namespace fathom::report::rows {
namespace {

constexpr std::size_t kFirstRow = 6;  // behind a heading, the origin and two lines of the table's head

TEST(RunMarkdown, HasTheChecksATableAndTheFindings) {
  EXPECT_EQ(run_markdown(small_run()),
            "### fathom run, checks: passed\n\n"
            "host, Fri Jul 26 13:18:33 2024, run id-1\n\n"
            "| job | direction | IOPS | bandwidth | latency | p50 | p99 | p99.9 | max | failed I/Os |\n"
            "|---|---|--:|--:|---|--:|--:|--:|--:|--:|\n"
            "| t | read | 2.00 k | 8.19 MB/s | lat | 100 ns | 1.00 ms | 1.00 ms | 1.00 ms | 0 |\n\n"
            "- **note** run.too\\_short: t: measured for 2 ms (help: run it longer)\n\n");
}

TEST(RunMarkdown, WritesADashForWhatIsNotKnown) {
  auto run = small_run();
  run.jobs[0].dirs[0] = {};
  run.jobs[0].error = 5;
  EXPECT_EQ(line_of(run_markdown(run), kFirstRow), "| t, error 5 | - | - | - | - | - | - | - | - | - |");
}

TEST(RunMarkdown, EscapesPipesAndLineEnds) {
  auto run = small_run();
  run.jobs[0].name = "a|b\n_c_";
  EXPECT_EQ(line_of(run_markdown(run), kFirstRow).find("| a\\|b\\\\n\\_c\\_ | read | "), 0u) << run_markdown(run);
}

TEST(RunMarkdown, TellsJobsOfOneNameApart) {
  auto run = small_run();
  run.jobs.push_back(small_job());
  run.jobs[1].job_number = 1;
  run.jobs[1].members = 3;
  const auto text = run_markdown(run);
  EXPECT_EQ(line_of(text, kFirstRow).find("| t, job 0 | read | "), 0u) << text;
  EXPECT_EQ(line_of(text, kFirstRow + 1).find("| t, job 1, 3 jobs | read | "), 0u) << text;
}

TEST(RunMarkdown, NumbersTheRepetitions) {
  auto run = small_run();
  run.repetitions = {small_run(), small_run()};
  const auto text = run_markdown(run);
  EXPECT_EQ(line_of(text, kFirstRow).find("| t, repetition 1 | read | "), 0u) << text;
  EXPECT_EQ(line_of(text, kFirstRow + 1).find("| t, repetition 2 | read | "), 0u) << text;
}

TEST(RunMarkdown, ShowsTheLatencyFromTheIntendedStartOfAPacedJob) {
  auto run = small_run();
  run.jobs[0].dirs[0].intended_lat = latency_of({200, 200, 200, 3'000'000});
  EXPECT_NE(line_of(run_markdown(run), kFirstRow).find("| intended\\_lat | 201 ns | "), std::string::npos)
      << run_markdown(run);
}

}  // namespace
}  // namespace fathom::report::rows
