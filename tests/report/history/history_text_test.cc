// The texts of `fathom history list` and `check`: they fit each width, and names from outside stay in their cell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/text/wrapped.h"
#include "report/compare/compare_formats.h"
#include "report/history/fitted_table.h"
#include "report/history/history_formats.h"

namespace fathom::report::history {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    most = std::max(most, base::text::columns_of(text.substr(at, end - at)));
    at = end + 1;
  }
  return most;
}

class HistoryText : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("TZ", "UTC", 1), ::tzset(); }
};

result::HistoryList list_of_two() {
  result::HistoryList list{.program = "fathom 1", .file = "/h/history.db", .all_runs = 12, .runs = {}};
  list.runs.push_back({.id = 12,
                       .run_id = "x",
                       .time_epoch_ms = 1'700'000'000'000,
                       .job = "nightly",
                       .workload = "randread",
                       .host = "alpha",
                       .program = "fathom 1",
                       .checks = "failed",
                       .unfit = "",
                       .iops = 123'456,
                       .bytes_per_s = 5.06e8,
                       .p99_ns = 1.5e6,
                       .tags = {"base", "v1"}});
  list.runs.push_back({.id = 3, .job = "a \x1b[1m\nb", .checks = "passed", .unfit = "the run was interrupted"});
  return list;
}

result::HistoryCheck check_of_two() {
  result::HistoryChange change{.before_id = 20,
                               .id = 21,
                               .before_epoch_ms = 0,
                               .time_epoch_ms = 1'700'000'000'000,
                               .before_runs = 20,
                               .runs = 5,
                               .before = 100e3,
                               .after = 95e3,
                               .percent = -5,
                               .t = -8,
                               .degrees = 23,
                               .p = 1.25e-8,
                               .worse = true,
                               .differences = {{"kernel", "6.1", "6.2"}, {"disks", "", "vda"}}};
  result::HistoryCheck check;
  check.series.push_back({.job = "nightly",
                          .direction = "read",
                          .metric = "iops",
                          .unit = "1/s",
                          .more_is_better = true,
                          .state = result::HistoryState::worse,
                          .runs = 25,
                          .first_id = 1,
                          .last_id = 25,
                          .typical = 95e3,
                          .changes = {change}});
  check.series.push_back(
      {.job = "short", .direction = "write", .metric = "p99", .unit = "ns", .runs = 2, .typical = 5});
  return check;
}

TEST_F(HistoryText, AListOfAWideTerminalHasEveryColumn) {
  EXPECT_EQ(text_of(list_of_two(), {.width = 120}),
            "  id  date              job            IOPS      p99  checks  tags     bandwidth  host   workload\n"
            "  12  2023-11-14 22:13  nightly       123 k  1.50 ms  FAILED  base,v1   506 MB/s  alpha  randread\n"
            "   3  -                 a \\x1b[1m\\nb      -        -  passed                   -\n"
            "run 3 is not checked: the run was interrupted\n"
            "2 of 12 runs in /h/history.db\n");
}

TEST_F(HistoryText, ANarrowListLeavesColumnsOut) {
  const auto text = text_of(list_of_two(), {.width = 80});
  EXPECT_THAT(text, HasSubstr("tags"));
  EXPECT_THAT(text, Not(HasSubstr("workload")));
}

TEST_F(HistoryText, EveryLineFits) {
  auto list = list_of_two();
  auto check = check_of_two();
  list.runs[0].job = list.runs[0].tags[0] = check.series[0].job = std::string(150, 'j');
  for (std::size_t width = compare::kNarrowest; width <= compare::kWidest; ++width) {
    EXPECT_LE(widest(answer(check, {.width = width})), width);
    if (width < 60) continue;  // columns of tables
    EXPECT_LE(widest(text_of(check, {.width = width})), width);
    EXPECT_LE(widest(text_of(list, {.width = width})), width);
  }
}

TEST_F(HistoryText, WhatIsWorseComesFirst) {
  const auto text = text_of(check_of_two(), {.width = 120});
  EXPECT_THAT(
      text,
      StartsWith("WORSE: nightly read iops: -5.00% between runs 20 and 21 (2023-11-14 22:13): 95.0 k in 5 runs, 100 k "
                 "in 20 runs before; p\n1.2e-08\n"));
  auto tiny = check_of_two();
  tiny.series[0].changes[0].p = 0;
  EXPECT_THAT(answer(tiny, {.width = 120}), HasSubstr("p\nbelow 1e-9"));
  EXPECT_THAT(text, HasSubstr("  nightly  read       iops      25   95.0 k  worse               1\n"));
  EXPECT_THAT(text, HasSubstr("  short    write      p99        2  5.00 ns  too few runs        0\n"));
  EXPECT_THAT(text, HasSubstr("    kernel differs: 6.1 before, 6.2 since\n"));
  EXPECT_THAT(text, HasSubstr("    disks differs: unknown before, vda since\n"));
}

TEST_F(HistoryText, AHistoryWithoutAChangeSaysSo) {
  auto check = check_of_two();
  check.series[0].state = result::HistoryState::no_change;
  check.series[0].changes.clear();
  EXPECT_EQ(answer(check, {}), "No series is worse at its end: 1 of 2 have enough runs.\n");
  check.series.erase(check.series.begin());
  EXPECT_EQ(answer(check, {}), "Nothing to check: no series has enough runs.\n");
  check.series.clear();
  EXPECT_EQ(text_of(check, {}), "Nothing to check: no run has numbers.\n");
}

TEST_F(HistoryText, OmittedRunsAreCounted) {
  auto check = check_of_two();
  check.unfit_runs = 3;
  EXPECT_THAT(text_of(check, {}), HasSubstr("Omitted: 3 runs"));
}

TEST(FittedTable, ColumnsAreLeftOutFromTheEndAndThenCut) {
  using Fit = TableColumn::Fit;
  const std::vector<TableColumn> columns = {{"a", Fit::whole, true, {"1", "22"}},
                                            {"name", Fit::cut, false, {"abcdefghijkl", "x"}},
                                            {"b", Fit::left_out, false, {"bb", "b"}},
                                            {"c", Fit::left_out, false, {"ccc", ""}}};
  EXPECT_EQ(fitted_table(columns, 80),
            "   a  name          b   c\n   1  abcdefghijkl  bb  ccc\n  22  x             b\n");
  EXPECT_EQ(fitted_table(columns, 24), "   a  name          b\n   1  abcdefghijkl  bb\n  22  x             b\n");
  EXPECT_EQ(fitted_table(columns, 14), "   a  name\n   1  abcde...\n  22  x\n");
  EXPECT_EQ(fitted_table({}, 80), "\n");
}

}  // namespace
}  // namespace fathom::report::history
