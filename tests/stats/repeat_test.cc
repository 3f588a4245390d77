// Student's quantiles against a printed table, summaries against hand computation.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "stats/repeat.h"

namespace fathom::stats {
namespace {

TEST(TQuantile, MatchesAPrintedTable) {
  struct Row {
    unsigned degrees;
    double t;
  };
  constexpr Row kTable[] = {{1, 12.706}, {2, 4.303},   {3, 3.182},   {4, 2.776},    {5, 2.571},
                            {6, 2.447},  {7, 2.365},   {8, 2.306},   {9, 2.262},    {10, 2.228},
                            {15, 2.131}, {20, 2.086},  {29, 2.045},  {30, 2.042},   {40, 2.021},
                            {60, 2.000}, {100, 1.984}, {120, 1.980}, {1000, 1.962}, {1'000'000, 1.960}};
  for (const auto& row : kTable) EXPECT_NEAR(t_quantile_975(row.degrees), row.t, 0.0006) << row.degrees;
  EXPECT_EQ(t_quantile_975(0), 0.0);
}

TEST(TQuantile, FallsWithEveryDegreeOfFreedom) {
  for (unsigned d = 1; d < 300; ++d) EXPECT_GT(t_quantile_975(d), t_quantile_975(d + 1)) << d;
}

TEST(TQuantile, MatchesTablesOfOtherConfidences) {
  struct Row {
    double central;
    unsigned degrees;
    double t;
  };
  constexpr Row kTable[] = {{0.99, 1, 63.657},        {0.99, 2, 9.925},          {0.99, 10, 3.169},
                            {0.99, 100, 2.626},       {0.999, 5, 6.869},         {0.9, 1, 6.314},
                            {0.9, 30, 1.697},         {0.5, 10, 0.700},          {0.9999, 50, 4.228},
                            {0.99, 1'000'000, 2.576}, {0.9999, 1'000'000, 3.891}};
  for (const auto& row : kTable) EXPECT_NEAR(t_quantile(row.central, row.degrees), row.t, 0.0006) << row.degrees;
}

TEST(Summarize, MatchesAComputationByHand) {
  const std::vector<double> values = {990, 1010, 1000};
  const auto s = summarize(values);
  EXPECT_DOUBLE_EQ(s.mean, 1000);
  EXPECT_DOUBLE_EQ(s.stddev, 10);
  EXPECT_DOUBLE_EQ(s.median, 1000);
  EXPECT_NEAR(half_interval_of_mean(values), 4.302653 * 10 / std::sqrt(3.0), 1e-4);
  // On a log scale: e to the 6.907722 ± 4.302653 * 0.0100002 / sqrt(3).
  EXPECT_NEAR(s.ci95_low, 975.43, 0.01);
  EXPECT_NEAR(s.ci95_high, 1025.12, 0.01);
}

// One repetition in a hundred times: a factor, and not a mean less more than itself.
TEST(Summarize, IntervalOfPositiveValuesIsPositive) {
  const auto s = summarize(std::vector<double>{10'300, 11'900, 1'240'000});
  EXPECT_GT(s.ci95_low, 0);
  EXPECT_LT(s.ci95_low, 10'300);
  EXPECT_GT(s.ci95_high, 1'240'000);
}

TEST(Summarize, TwoValuesHaveARange) {
  const auto s = summarize(std::vector<double>{1010, 990});
  EXPECT_EQ(s.ci95_low, 990);
  EXPECT_EQ(s.ci95_high, 1010);
  EXPECT_EQ(s.mean, 1000);
}

TEST(Summarize, DifferencesAreNotTakenAsLogarithms) {
  const std::vector<double> values = {-10, 0, 10}, above = {10, 20, 30};
  EXPECT_NEAR(summarize_differences(above).ci95_low, 20 - half_interval_of_mean(above), 1e-9);
  const auto s = summarize(values);
  EXPECT_NEAR(s.ci95_high, half_interval_of_mean(values), 1e-9);
  EXPECT_NEAR(s.ci95_low, -s.ci95_high, 1e-9);
  EXPECT_EQ(summarize(std::vector<double>{0, 0, 30}).ci95_low, 0);  // what is never negative stays so
  EXPECT_EQ(summarize(std::vector<double>{5, 5, 5}).ci95_low, 5);
}

TEST(Summarize, MedianOfAnEvenCountIsTheMiddleOfTwo) {
  EXPECT_DOUBLE_EQ(summarize(std::vector<double>{4, 1, 3, 2}).median, 2.5);
}

TEST(Summarize, NoValueAndOneValueHaveNoInterval) {
  EXPECT_EQ(summarize({}).mean, 0.0);
  const auto one = summarize(std::vector<double>{7.5});
  EXPECT_EQ(one.mean, 7.5);
  EXPECT_EQ(one.median, 7.5);
  EXPECT_EQ(one.stddev, 0.0);
  EXPECT_EQ(one.ci95_low, 7.5);
  EXPECT_EQ(one.ci95_high, 7.5);
}

RC_GTEST_PROP(SummarizeProperty, OrderDoesNotMatterAndTheIntervalHoldsTheTypicalValue, ()) {
  std::vector<double> values(*rc::gen::inRange<std::size_t>(2, 40));
  for (auto& v : values) v = *rc::gen::inRange(1, 1'000'000) / 7.0;
  const auto a = summarize(values);
  std::reverse(values.begin(), values.end());
  const auto b = summarize(values);
  RC_ASSERT(std::abs(a.mean - b.mean) <= std::abs(a.mean) * 1e-12);
  RC_ASSERT(a.median == b.median);
  double logs = 0;
  for (const double v : values) logs += std::log(v) / static_cast<double>(values.size());
  RC_ASSERT(a.ci95_low > 0);
  RC_ASSERT(a.ci95_low <= std::exp(logs) * (1 + 1e-9) && std::exp(logs) <= a.ci95_high * (1 + 1e-9));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  RC_ASSERT(*low <= a.median && a.median <= *high);
}

}  // namespace
}  // namespace fathom::stats
