// Series with a known change, with noise, outliers and drift; and flat series, in which a change is a false alarm.
#include "stats/changes/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace fathom::stats::changes {
namespace {

using Values = std::vector<double>;

struct Kind {
  const char* name;
  double outliers = 0;       // share of the runs
  double drift_percent = 0;  // over the whole series
  bool only_slow = false;    // outliers; otherwise either way
};
constexpr Kind kPlain{"plain"};
constexpr Kind kOutliers{"with outliers", 0.05};
constexpr Kind kSlowOutliers{"with slow outliers", 0.1, 0, true};
constexpr Kind kRising{"with a rising drift", 0, 2};
constexpr Kind kFalling{"with a falling drift", 0, -2};
constexpr Kind kBoth{"with outliers and drift", 0.05, -2};

// `runs` values about 1000, with a standard deviation of 2 %; from run `at` on `step` times as much.
Values series(std::size_t runs, std::size_t at, double step, const Kind& kind, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Values values;
  for (std::size_t i = 0; i < runs; ++i) {
    double value = 1000 * (1 + 0.02 * normal(random)) * (i < at ? 1 : step);
    value *= 1 + kind.drift_percent / 100 * static_cast<double>(i) / static_cast<double>(runs);
    const double chance = uniform(random), size = 0.1 + 0.3 * uniform(random), way = uniform(random);
    if (chance < kind.outliers) value *= kind.only_slow || way < 0.5 ? 1 - size : 1 + size;
    values.push_back(value);
  }
  return values;
}

bool is_found(const std::vector<ChangePoint>& points, std::size_t at, double step) {
  for (const auto& point : points) {
    const double away = std::fabs(static_cast<double>(point.at) - static_cast<double>(at));
    if (away <= 5 && (point.change() > 0) == (step > 1)) return true;
  }
  return false;
}

TEST(ChangePoints, AStepInTheMiddleOf40RunsIsFoundWithin5Runs) {
  constexpr unsigned kSeries = 500;
  for (const auto& kind : {kPlain, kOutliers, kSlowOutliers, kRising, kFalling, kBoth})
    for (const double step : {1.05, 0.95}) {
      unsigned found = 0;
      for (unsigned seed = 0; seed < kSeries; ++seed)
        found += is_found(change_points(series(40, 20, step, kind, seed)), 20, step) ? 1 : 0;
      EXPECT_GE(found, kSeries * 9 / 10) << kind.name << ", step " << step;
      RecordProperty(std::string(kind.name) + (step > 1 ? " up" : " down"), static_cast<int>(found));
    }
}

TEST(ChangePoints, OnePercentOfFlatSeriesHasAFalseAlarmAtMost) {
  constexpr unsigned kSeries = 1000;
  for (const auto& kind : {kPlain, kOutliers, kSlowOutliers})
    for (const std::size_t runs : {10u, 20u, 40u}) {
      unsigned alarms = 0;
      for (unsigned seed = 0; seed < kSeries; ++seed)
        alarms += change_points(series(runs, runs, 1, kind, 10'000 + seed)).empty() ? 0 : 1;
      EXPECT_LE(alarms, kSeries / 100) << kind.name << ", " << runs << " runs";
      RecordProperty(std::string(kind.name) + std::to_string(runs), static_cast<int>(alarms));
    }
}

TEST(ChangePoints, TheAnswerOfASeriesIsAlwaysTheSame) {
  const auto values = series(200, 90, 0.93, kBoth, 3);
  const auto once = change_points(values), again = change_points(values);
  ASSERT_EQ(once.size(), again.size());
  ASSERT_FALSE(once.empty());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].at, again[i].at);
    EXPECT_EQ(once[i].p, again[i].p);
  }
}

TEST(ChangePoints, AStepWithoutNoiseHasItsPlaceAndSize) {
  Values values(20, 100.0);
  values.insert(values.end(), 20, 90.0);
  const auto points = change_points(values);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].begin, 0u);
  EXPECT_EQ(points[0].at, 20u);
  EXPECT_EQ(points[0].end, 40u);
  EXPECT_DOUBLE_EQ(points[0].before, 100);
  EXPECT_DOUBLE_EQ(points[0].after, 90);
  EXPECT_NEAR(points[0].change(), -0.1, 1e-12);
  EXPECT_EQ(points[0].p, 0);
  EXPECT_LT(points[0].t, 0);
}

TEST(ChangePoints, EachOfSeveralLevelsIsAPart) {
  Values values;
  for (const double level : {100.0, 120.0, 90.0, 110.0})
    for (std::size_t i = 0; i < 30; ++i) values.push_back(level * (1 + 0.01 * static_cast<double>(i % 2)));
  const auto points = change_points(values);
  ASSERT_EQ(points.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(points[i].at, 30 * (i + 1));
    EXPECT_EQ(points[i].end, 30 * (i + 2)) << "the part ends where the next one begins";
  }
}

TEST(ChangePoints, ALevelThatCameAndWentIsFound) {
  constexpr unsigned kSeries = 200;
  unsigned found = 0;
  for (unsigned seed = 0; seed < kSeries; ++seed) {
    auto values = series(36, 12, 0.9, kPlain, seed);
    for (std::size_t i = 24; i < 36; ++i) values[i] /= 0.9;
    const auto points = change_points(values);
    found += points.size() == 2 && is_found(points, 12, 0.9) && is_found(points, 24, 1 / 0.9) ? 1 : 0;
  }
  EXPECT_GE(found, kSeries * 9 / 10);
}

TEST(ChangePoints, AChangeNearTheEndOfALongSeriesIsFound) {
  const auto points = change_points(series(1000, 990, 0.8, kPlain, 1));
  EXPECT_TRUE(is_found(points, 990, 0.8));
}

TEST(ChangePoints, ALargeStepKeepsItsRuns) {
  for (std::size_t after = kFewestOfAPart; after <= 20; ++after) {
    const auto points = change_points(series(20 + after, 20, 3, kPlain, static_cast<unsigned>(after)));
    ASSERT_EQ(points.size(), 1u) << after << ": the runs after the step are no outliers";
    EXPECT_EQ(points[0].at, 20u) << after;
    EXPECT_EQ(points[0].end, 20 + after);
    EXPECT_NEAR(points[0].change(), 2, 0.1);
  }
}

TEST(ChangePoints, OneRunThatIsFarOffIsNoChange) {
  for (std::size_t at = 0; at < 40; ++at)
    for (const double factor : {0.1, 0.5, 3.0}) {
      auto values = series(40, 40, 1, kPlain, 20);
      values[at] *= factor;
      EXPECT_TRUE(change_points(values).empty()) << at << " by " << factor;
    }
}

TEST(ChangePoints, ConstantValuesHaveNone) {
  EXPECT_TRUE(change_points(Values(100, 7.0)).empty());
  Values rounded(40, 0.1 + 0.2);
  for (std::size_t i = 20; i < 40; ++i) rounded[i] = 0.3;
  EXPECT_TRUE(change_points(rounded).empty()) << "a rounding error is no change";
}

TEST(ChangePoints, TooShortASeriesHasNone) {
  for (std::size_t runs = 0; runs <= kFewestToJudge; ++runs) {
    Values values(runs, 1.0);
    for (std::size_t i = runs / 2; i < runs; ++i) values[i] = 2;
    EXPECT_EQ(change_points(values).size(), runs < kFewestToJudge ? 0u : 1u) << runs;
  }
}

TEST(ChangePoints, CriteriaDecideWhatCounts) {
  const auto values = series(40, 20, 1.05, kPlain, 5);
  ASSERT_EQ(change_points(values).size(), 1u);
  EXPECT_TRUE(change_points(values, {.most_p = 1e-30}).empty());
  EXPECT_TRUE(change_points(values, {.least_change = 0.1}).empty());
  EXPECT_EQ(change_points(values, {.least_change = 0.02}).size(), 1u);
}

TEST(ChangePoints, EveryPIsAtMostTheRequiredOne) {
  for (unsigned seed = 0; seed < 50; ++seed)
    for (const auto& point : change_points(series(120, 60, 1.04, kOutliers, seed))) {
      EXPECT_LE(point.p, kMostP);
      EXPECT_GE(point.at - point.begin, kFewestOfAPart);
      EXPECT_GE(point.end - point.at, kFewestOfAPart);
    }
}

TEST(ChangePoints, MedianOfAnEvenNumberIsBetweenTheMiddleTwo) {
  EXPECT_EQ(median_of(Values{}), 0);
  EXPECT_EQ(median_of(Values{3}), 3);
  EXPECT_EQ(median_of(Values{9, 1, 4}), 4);
  EXPECT_EQ(median_of(Values{9, 1, 4, 2}), 3);
}

}  // namespace
}  // namespace fathom::stats::changes
