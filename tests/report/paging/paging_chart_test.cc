// Drawn histograms: every sample is in some column, single samples show, two peaks stand apart, ASCII is ASCII.
#include "report/paging/paging_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <sstream>

#include "report/paging/paging_view.h"

namespace fathom::report::paging {
namespace {

using ::testing::HasSubstr;

LatencyAxis axis_of(const stats::Histogram& histogram, std::size_t width = 80) {
  const std::array<const stats::Histogram*, 1> one = {&histogram};
  return axis_for(one, width);
}

std::vector<std::string> rows_of(const std::string& chart) {
  std::vector<std::string> rows;
  std::istringstream in(chart);
  for (std::string row; std::getline(in, row);) rows.push_back(row);
  return rows;
}

TEST(PagingChart, ASingleSampleOfAMillionIsVisible) {
  stats::Histogram h;
  h.add(500, 1'000'000);
  h.add(9'231'000, 1);
  for (const bool logarithmic : {false, true}) {
    const auto axis = axis_of(h);
    const auto rows = rows_of(draw_histogram("t", h, axis, {false, logarithmic, 80, 8}));
    ASSERT_EQ(rows.size(), 1u + 8 + 2);
    const auto column = 8 + axis.column_of(9'231'000);
    EXPECT_NE(rows[8].at(column), ' ') << rows[8];
    EXPECT_EQ(rows[1].at(8 + axis.column_of(500)), '#');
    EXPECT_TRUE(rows[1].size() <= column || rows[1][column] == ' ');
  }
}

TEST(PagingChart, HeightsAreLinearOrLogarithmic) {
  stats::Histogram h;
  h.add(1 << 10, 1000);
  h.add(1 << 14, 500);
  const auto column = 8 + axis_of(h).column_of(1 << 14);
  const auto linear = rows_of(draw_histogram("t", h, axis_of(h), {false, false, 80, 8}));
  const auto logarithmic = rows_of(draw_histogram("t", h, axis_of(h), {false, true, 80, 8}));
  EXPECT_EQ(linear[5].at(column), '#');  // half of eight rows
  EXPECT_TRUE(linear[4].size() <= column);
  EXPECT_EQ(logarithmic[2].at(column), '#');
}

TEST(PagingChart, TheAxisNamesPowersOfTen) {
  stats::Histogram h;
  h.add(300);
  h.add(3'000'000);
  const auto axis = axis_of(h);
  const auto rows = rows_of(draw_histogram("t", h, axis, {false, true, 80, 8}));
  EXPECT_EQ(rows.back().find("1us"), 8 + axis.column_of(1'000));
  EXPECT_EQ(rows.back().find("1ms"), 8 + axis.column_of(1'000'000));
  EXPECT_EQ(rows[9].at(8 + axis.column_of(1'000)), '+');
}

TEST(PagingChart, AsciiChartHasAsciiCharactersOnly) {
  stats::Histogram h;
  for (std::uint64_t ns = 1; ns < 1'000'000; ns = ns * 5 / 4 + 1) h.add(ns, ns);
  for (const char c : draw_histogram("t", h, axis_of(h), {false, true, 80, 8}))
    EXPECT_GE(static_cast<signed char>(c), 0);
  EXPECT_THAT(draw_histogram("t", h, axis_of(h), {true, true, 80, 8}), HasSubstr("█"));
}

TEST(PagingChart, OverlaidBarsSayWhoseTheyAre) {
  stats::Histogram a, b;
  a.add(1 << 10, 1000), a.add(1 << 12, 1000);
  b.add(1 << 12, 10), b.add(1 << 14, 10);
  const std::array<const stats::Histogram*, 2> both = {&a, &b};
  const auto axis = axis_for(both, 80);
  const auto rows = rows_of(draw_overlaid("t", a, b, axis, {false, true, 80, 8}, 'C'));
  ASSERT_EQ(rows.size(), 1u + 8 + 2);
  for (std::size_t row = 1; row <= 8; ++row) {  // half of the samples each, however many there are
    EXPECT_EQ(rows[row].at(8 + axis.column_of(1 << 10)), 'A');
    EXPECT_EQ(rows[row].at(8 + axis.column_of(1 << 12)), '#');
    EXPECT_EQ(rows[row].at(8 + axis.column_of(1 << 14)), 'C');
  }
  EXPECT_THAT(rows[1], HasSubstr("50%"));
  EXPECT_EQ(draw_overlaid("t", a, {}, axis, {}), "");
}

TEST(PagingChart, DifferenceIsAboveTheLineWhereTheSecondIsFaster) {
  stats::Histogram slow, fast;
  slow.add(1 << 14, 100), fast.add(1 << 10, 100);
  const std::array<const stats::Histogram*, 2> both = {&slow, &fast};
  const auto axis = axis_for(both, 80);
  const auto column = 8 + axis.column_of(1 << 12);
  const auto faster = rows_of(draw_difference("t", slow, fast, axis, {false, true, 80, 8}));
  ASSERT_EQ(faster.size(), 1u + 5 + 2) << "rows without a bar are omitted";
  EXPECT_THAT(faster[1], HasSubstr("+100"));
  EXPECT_EQ(faster[1].at(column), '#');
  EXPECT_THAT(faster[5], HasSubstr("+0|"));
  const auto slower = rows_of(draw_difference("t", fast, slow, axis, {false, true, 80, 8}));
  ASSERT_EQ(slower.size(), faster.size());
  EXPECT_THAT(slower[1], HasSubstr("+0|"));
  EXPECT_EQ(slower[5].at(column), '#');
  EXPECT_THAT(draw_difference("t", slow, slow, axis, {}), HasSubstr("the curves do not differ"));
}

TEST(PagingChart, AnEmptyHistogramDrawsNothing) {
  EXPECT_EQ(draw_histogram("t", {}, {}, {}), "");
  EXPECT_EQ(axis_of({}).columns(), 0u);
}

RC_GTEST_PROP(PagingChart, EverySampleHasAColumnWithinTheWidth, (const std::vector<std::uint64_t>& samples)) {
  const auto width = *rc::gen::inRange<std::size_t>(75, 200);
  const auto h = stats::Histogram::of_samples(samples);
  const auto axis = axis_of(h, width);
  RC_ASSERT(axis.columns() + 8 <= width);
  std::size_t last = 0;
  for (const auto& bin : h.bins()) {
    const auto column = axis.column_of(stats::bucket_begin(bin.bucket));
    RC_ASSERT(column < axis.columns());
    RC_ASSERT(column >= last);
    RC_ASSERT(column == axis.column_of(stats::bucket_end(bin.bucket) - 1));  // no bucket is cut in two
    last = column;
  }
  const auto drawn = draw_histogram("t", h, axis, {false, true, width, 8});
  RC_ASSERT(drawn.empty() == h.empty());
}

TEST(PagingChartText, ShortTimeHasThreeSignificantDigits) {
  EXPECT_EQ(short_time(0), "0ns");
  EXPECT_EQ(short_time(850), "850ns");
  EXPECT_EQ(short_time(999.7), "1.00us");
  EXPECT_EQ(short_time(9'996), "10.0us");
  EXPECT_EQ(short_time(99'960), "100us");
  EXPECT_EQ(short_time(999'600), "1.00ms");
  EXPECT_EQ(short_time(-1500), "-1.50us");
  EXPECT_EQ(short_time(1.8446744e19), "1.8e+10s");
  EXPECT_EQ(short_count(9'999'999), "9999999");
  EXPECT_EQ(short_count(12'345'678), "12.3M");
  EXPECT_EQ(short_count(1.8446744e19), "18.4E");
  EXPECT_EQ(short_bytes(4096), "4 KiB");
  EXPECT_EQ(short_bytes(1536), "1.5 KiB");
  EXPECT_EQ(short_bytes(100), "100 B");
  EXPECT_EQ(short_percent(0), "0");
  EXPECT_EQ(short_percent(0.01), "<0.1%");
  EXPECT_EQ(short_percent(33.04), "33.0%");
}

TEST(PagingChartText, WrappingKeepsEveryWord) {
  const std::string text =
      "one two three four five six seven eight nine ten aVeryLongWordThatDoesNotFitIntoALineAtAll end";
  std::string joined;
  std::istringstream lines(wrapped(text, "  ", 30));
  for (std::string line; std::getline(lines, line);) joined += (joined.empty() ? "" : " ") + line.substr(2);
  EXPECT_EQ(joined, text);
  EXPECT_EQ(wrapped("", "  "), "");
}

}  // namespace
}  // namespace fathom::report::paging
