// What is told of runs whose truth is known: drawn a thousand times with drift and with an offset for each start, as
// machines have them. Seeds are fixed, so the counts are the same each time.
#include "stats/comparison/effect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace fathom::stats::comparison {
namespace {

constexpr double kMargin = 0.02;
constexpr int kTrials = 1000;

struct Sample {
  std::vector<double> a, b, places_a, places_b;
};

struct World {
  double planted = 0;  // B over A, of the logarithm
  double spread = 0.015, drift = 0.003, offset = 0.005;
};

// order: a letter a run.
Sample measured(std::mt19937_64& random, const World& world, const std::string& order) {
  std::normal_distribution<double> normal;
  Sample out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double place = static_cast<double>(i);
    const double log = 10 + world.drift * place + world.offset * normal(random) + world.spread * normal(random);
    (order[i] == 'A' ? out.a : out.b).push_back(std::exp(log + (order[i] == 'B' ? world.planted : 0)));
    (order[i] == 'A' ? out.places_a : out.places_b).push_back(place);
  }
  return out;
}

// Pairs, each in a drawn order.
std::string drawn_order(std::mt19937_64& random, int pairs) {
  std::string order;
  for (int i = 0; i < pairs; ++i) order += random() % 2 == 0 ? "AB" : "BA";
  return order;
}

Effect effect_in(const Sample& sample, double resolution = 0) {
  return effect_of({sample.a, sample.places_a}, {sample.b, sample.places_b}, resolution);
}
Told told_of(const Effect& effect, double margin = kMargin) {
  return told_by(effect, interval_of(effect, kConfidence), margin);
}
bool differs(Told told) { return told == Told::more || told == Told::less; }

TEST(Effect, FalseVerdictsOfInterleavedRunsAreFewerThanOneInTwenty) {
  std::mt19937_64 random(1);
  int wrong = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto effect = effect_in(measured(random, {}, drawn_order(random, 5)));
    EXPECT_TRUE(effect.in_turn);
    wrong += differs(told_of(effect)) ? 1 : 0;
  }
  EXPECT_LE(wrong, kTrials / 20) << wrong;
}

TEST(Effect, PlantedFivePercentIsFound) {
  std::mt19937_64 random(2);
  int found = 0;
  for (int i = 0; i < kTrials; ++i) {
    const World world{std::log(1.05), 0.015, 0, 0};
    found += told_of(effect_in(measured(random, world, drawn_order(random, 5)))) == Told::more ? 1 : 0;
  }
  EXPECT_GE(found, kTrials * 95 / 100) << found;
}

// Without the trend the same runs give three to four times as many false verdicts as are allowed.
TEST(Effect, DriftBetweenSidesThatWereNotInterleavedIsNoVerdict) {
  std::mt19937_64 random(3);
  int wrong = 0, without_trend = 0;
  for (int i = 0; i < kTrials; ++i) {
    auto effect = effect_in(measured(random, {}, "AAAAABBBBB"));
    EXPECT_FALSE(effect.in_turn);
    wrong += differs(told_of(effect)) ? 1 : 0;
    effect.in_turn = true;
    without_trend += differs(told_of(effect)) ? 1 : 0;
  }
  EXPECT_LE(wrong, kTrials / 20) << wrong;
  EXPECT_GE(without_trend, kTrials * 15 / 100) << without_trend;
}

// A clear difference stays one: three times as large as what the trend may be.
TEST(Effect, LargeDifferenceIsFoundThoughSidesWereNotInterleaved) {
  std::mt19937_64 random(4);
  int found = 0;
  for (int i = 0; i < kTrials; ++i)
    found += told_of(effect_in(measured(random, {std::log(1.15)}, "AAAAABBBBB"))) == Told::more ? 1 : 0;
  EXPECT_GE(found, kTrials * 95 / 100) << found;
}

TEST(Effect, IntervalOfALineHoldsTheTruth) {
  std::mt19937_64 random(5);
  int inside = 0;
  for (int i = 0; i < kTrials; ++i) {
    const World world{0.04, 0.01, -0.01, 0};
    const auto interval = interval_of(effect_in(measured(random, world, "BBBBBBAAAA")), kConfidence);
    inside += interval.low <= 0.04 && 0.04 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(inside, kTrials * 94 / 100) << inside;
}

TEST(Effect, AllOfOneSideBeforeTheOtherIsNotInTurn) {
  const std::vector<double> first{0, 1, 2}, second{3, 4, 5}, even{0, 2, 4}, odd{1, 3, 5};
  EXPECT_FALSE(in_turn(first, second));
  EXPECT_FALSE(in_turn(second, first));
  EXPECT_TRUE(in_turn(even, odd));
}

Effect of(const std::vector<double>& a, const std::vector<double>& b, double resolution) {
  std::vector<double> places_a, places_b;
  for (std::size_t i = 0; i < a.size(); ++i) places_a.push_back(static_cast<double>(2 * i));
  for (std::size_t i = 0; i < b.size(); ++i) places_b.push_back(static_cast<double>(2 * i + 1));
  return effect_of({a, places_a}, {b, places_b}, resolution);
}

TEST(Told, FewerThanThreeRunsTellNothing) {
  EXPECT_EQ(told_of(of({100, 101}, {200, 201, 202}, 0)), Told::too_few);
  EXPECT_EQ(told_of(of({100}, {200}, 0)), Told::too_few);
  EXPECT_EQ(told_of(of({100, 101, 102}, {200, 201, 202}, 0)), Told::more);
  EXPECT_EQ(told_of(of({200, 201, 202}, {100, 101, 102}, 0)), Told::less);
}

// Runs without spread in neighbouring buckets: as far as is known, the two sides are one bucket apart or nothing.
TEST(Told, NeighbouringBucketsAreNeverADifference) {
  const double step = 1.0 / 128;
  const std::vector<double> a(10, 128.0), b(10, 129.0);
  EXPECT_EQ(told_of(of(a, b, step), 0.001), Told::too_fine);
  EXPECT_EQ(told_of(of(a, b, step)), Told::within_margin);
  EXPECT_EQ(told_of(of(a, std::vector<double>(10, 134.0), step)), Told::more);
}

TEST(Told, ZeroSpreadHasThatOfTheQuantisation) {
  const auto effect = of({100, 100, 100}, {100, 100, 100}, 0.01);
  EXPECT_NEAR(effect.deviation_a, std::log1p(0.01) / std::sqrt(12.0), 1e-12);
  const auto interval = interval_of(effect, kConfidence);
  EXPECT_LT(interval.low, -0.003);
  EXPECT_GT(interval.high, 0.003);
}

TEST(Told, NoChangeNeedsAResolutionFinerThanTheMargin) {
  const std::vector<double> same(30, 100.0);
  EXPECT_EQ(told_of(of(same, same, 0.01)), Told::within_margin);
  EXPECT_EQ(told_of(of(same, same, 0.05)), Told::too_fine);
}

TEST(Told, IntervalAcrossNoChangeAndTheMarginIsNotYetTold) {
  const auto effect = of({97, 100, 103}, {98, 101, 104}, 0);
  EXPECT_EQ(told_of(effect), Told::not_yet);
  const auto needed = runs_needed(effect, kMargin);
  EXPECT_GT(needed, 3u);
  EXPECT_LT(needed, 200u);
  EXPECT_EQ(runs_needed(of({50, 100, 200}, {50, 101, 200}, 0), 1e-6), 0u);
}

// With so many runs of the same spread and difference it is told, with one fewer it is not.
TEST(Told, RunsNeededTell) {
  for (const double difference : {0.0, 0.005, 0.03, 0.05}) {
    const auto with = [&](std::size_t n) {
      std::vector<double> a, b;
      for (std::size_t i = 0; i < n; ++i) {
        const double sign = i % 2 == 0 ? 1 : -1;
        a.push_back(std::exp(0.03 * sign)), b.push_back(std::exp(difference + 0.03 * sign));
      }
      return of(a, b, 0);
    };
    const auto needed = runs_needed(with(4), kMargin);
    ASSERT_GT(needed, 0u);
    EXPECT_NE(told_of(with(2 * (needed + 4))), Told::not_yet) << difference;
  }
}

TEST(Holm, MultipliesByWhatIsLeft) {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
  const auto corrected = holm(p);
  EXPECT_NEAR(corrected[3].p, 0.02, 1e-15);
  EXPECT_NEAR(corrected[0].p, 0.03, 1e-15);
  EXPECT_NEAR(corrected[2].p, 0.06, 1e-15);
  EXPECT_NEAR(corrected[1].p, 0.06, 1e-15);
  EXPECT_NEAR(corrected[3].confidence, 1 - 0.05 / 4, 1e-15);
  EXPECT_NEAR(corrected[0].confidence, 1 - 0.05 / 3, 1e-15);
  EXPECT_NEAR(corrected[2].confidence, 1 - 0.05 / 2, 1e-15);
  EXPECT_NEAR(corrected[1].confidence, 1 - 0.05 / 2, 1e-15) << "what comes after one that is not told stays untold";
  EXPECT_TRUE(holm({}).empty());
  EXPECT_NEAR(holm(std::vector{0.2})[0].confidence, kConfidence, 1e-15);
}

// Twenty numbers of nothing: at most one family in twenty has a verdict.
TEST(Holm, FamiliesOfNothingAreSeldomTold) {
  std::mt19937_64 random(6);
  int told = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Effect> effects;
    std::vector<double> p;
    for (int metric = 0; metric < 20; ++metric) {
      effects.push_back(effect_in(measured(random, {0, 0.03, 0, 0}, "ABABABABAB")));
      p.push_back(p_of(effects.back()));
    }
    const auto corrected = holm(p);
    bool any = false;
    for (std::size_t i = 0; i < effects.size(); ++i)
      any = any || differs(told_by(effects[i], interval_of(effects[i], corrected[i].confidence), kMargin));
    told += any ? 1 : 0;
  }
  EXPECT_LE(told, kTrials * 65 / 1000) << told;
}

}  // namespace
}  // namespace fathom::stats::comparison
