// The bracket holds the load of a queue whose law is known, is as narrow as asked, and an end of it is evidence by fresh
// runs alone.
#include "stats/loads/slo_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/sanitized.h"
#include "stats/loads/mm1.h"

namespace fathom::stats::loads {
namespace {

using namespace testing;
using Latency = std::function<double(double load, base::Prng& random)>;

constexpr double kP = 0.99;

SloBracket found(const SloRange& range, std::uint64_t seed, double limit, const Latency& latency,
                 std::size_t* runs = nullptr) {
  base::Prng random(seed * 7919 + 1);
  SloSearch search(range, seed);
  while (const auto run = search.next()) search.add(std::log(latency(run->load, random) / limit));
  if (runs != nullptr) *runs = search.runs();
  return search.bracket();
}

double width_of(const SloBracket& bracket) { return bracket.misses->load / bracket.meets->load - 1; }

struct Told {
  int shown = 0, held = 0, narrow = 0;
  std::size_t runs = 0;
};
std::ostream& operator<<(std::ostream& out, const Told& told) {
  return out << "shown " << told.shown << ", held " << told.held << ", narrow " << told.narrow << ", runs "
             << told.runs;
}

Told tell(int seeds, const SloRange& range, double truth, double limit, const Latency& latency) {
  Told told;
  for (int seed = 0; seed < seeds; ++seed) {
    std::size_t runs = 0;
    const auto bracket = found(range, static_cast<std::uint64_t>(seed), limit, latency, &runs);
    told.runs += runs;
    if (!bracket.narrow()) continue;
    EXPECT_GE(bracket.meets->over.size(), kFewestConfirmed);
    EXPECT_GE(bracket.misses->over.size(), kFewestConfirmed);
    ++told.shown;
    told.held += bracket.meets->load <= truth && truth <= bracket.misses->load ? 1 : 0;
    told.narrow += width_of(bracket) <= 0.03 ? 1 : 0;
  }
  return told;
}

// At loads from a fifth to nineteen twentieths of what is served. Where latency hardly depends on load and runs scatter
// widely no load is shown, or the bracket is wider; it holds the truth all the same.
TEST(SloSearch, TimedHoldsTheLoadOfAQueueWhoseRunsScatter) {
  constexpr int kSeeds = base::kSanitized ? 20 : 200;
  const Mm1 queue{10'000};
  for (const double utilisation : {0.2, 0.54, 0.8, 0.95})
    for (const double scatter : {0.005, 0.015, 0.04}) {
      const double truth = utilisation * queue.served_per_s;
      const double limit = queue.percentile_s(truth, kP);
      const auto latency = [&](double load, base::Prng& random) {
        const double law = load < queue.served_per_s * 0.999 ? queue.percentile_s(load, kP) : 10;
        return law * std::exp(scatter * normal(random));
      };
      const auto told = tell(kSeeds, {.low = 500, .high = 20'000}, truth, limit, latency);
      SCOPED_TRACE(::testing::Message() << "utilisation " << utilisation << ", scatter " << scatter << ": " << told);
      EXPECT_GE(told.held * 100, told.shown * (base::kSanitized ? 80 : 93));
      const double slope = utilisation / (1 - utilisation);
      EXPECT_GE(told.held, scatter / slope < 0.02 ? kSeeds * 93 / 100 : 0);
      EXPECT_GE(told.narrow, scatter / slope < 0.01 ? kSeeds * 93 / 100 : 0);
    }
}

TEST(SloSearch, TimedHoldsTheLoadOfASimulatedQueue) {
  constexpr int kSeeds = base::kSanitized ? 1 : 2;  // a sanitizer looks at the code, and one will do
  const Mm1 queue{10'000};
  const double limit = 0.001, truth = queue.load_at(limit, kP);
  const auto latency = [&](double load, base::Prng& random) {
    return simulated_percentile_s(queue, load, kP, 300'000, random);
  };
  const auto told = tell(kSeeds, {.low = 1000, .high = 10'000}, truth, limit, latency);
  SCOPED_TRACE(::testing::Message() << told);
  EXPECT_GE(told.held, kSeeds - 1);
  EXPECT_GE(told.narrow, kSeeds / 2);
}

TEST(SloSearch, OfARangeThatMeetsItTheUpperEndIsConfirmed) {
  const auto bracket = found({.low = 10, .high = 100}, 1, 2.0, [](double load, base::Prng& random) {
    return (1 + load / 1000) * std::exp(0.01 * normal(random));
  });
  ASSERT_TRUE(bracket.meets);
  EXPECT_DOUBLE_EQ(bracket.meets->load, 100);
  EXPECT_TRUE(bracket.meets->shown);
  EXPECT_GE(bracket.meets->over.size(), kFewestConfirmed);
  EXPECT_FALSE(bracket.misses);
}

TEST(SloSearch, OfARangeThatMissesItTheLowerEndIsConfirmed) {
  const auto bracket = found({.low = 10, .high = 100}, 1, 0.5, [](double load, base::Prng& random) {
    return (1 + load / 1000) * std::exp(0.01 * normal(random));
  });
  ASSERT_TRUE(bracket.misses);
  EXPECT_DOUBLE_EQ(bracket.misses->load, 10);
  EXPECT_TRUE(bracket.misses->shown);
  EXPECT_FALSE(bracket.meets);
}

// A step, as a throttle's: below it one latency, above it a hundred times that.
TEST(SloSearch, FindsAStep) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto bracket = found({.low = 100, .high = 10'000}, seed, 0.005, [](double load, base::Prng& random) {
      return (load <= 2000 ? 0.0005 : 0.2) * std::exp(0.2 * normal(random));
    });
    ASSERT_TRUE(bracket.narrow()) << seed;
    EXPECT_LE(bracket.meets->load, 2000);
    EXPECT_GE(bracket.misses->load, 2000);
    EXPECT_LE(width_of(bracket), 0.03);
  }
}

TEST(SloSearch, OfWholeNumbersTheEndsAreNeighbours) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto bracket = found({.low = 1, .high = 256, .whole = true}, seed, 1.05, [](double load, base::Prng& random) {
      return 0.1 * load * std::exp(0.005 * normal(random));
    });
    ASSERT_TRUE(bracket.narrow()) << seed;
    EXPECT_EQ(bracket.meets->load, 10);
    EXPECT_EQ(bracket.misses->load, 11);
  }
}

// One noisy step: a run in ten is ten times slower. No end is taken for shown by one of them.
TEST(SloSearch, ARunThatWasDisturbedDecidesNothing) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto bracket = found({.low = 100, .high = 10'000}, seed, 0.005, [](double load, base::Prng& random) {
      return 0.005 * load / 2000 * std::exp(0.003 * normal(random)) * (random.unit() < 0.1 ? 10 : 1);
    });
    const bool below = bracket.meets && bracket.meets->shown && bracket.meets->load > 2000;
    const bool above = bracket.misses && bracket.misses->shown && bracket.misses->load < 1700;
    wrong += below || above ? 1 : 0;
  }
  EXPECT_LE(wrong, 5);
}

// What is asked depends on the seed and the answers alone: a search is continued from its history.
TEST(SloSearch, GoesOnFromItsHistory) {
  const SloRange range{.low = 1000, .high = 10'000};
  SloSearch first(range, 5);
  base::Prng random(9);
  std::vector<std::pair<double, double>> history;
  while (const auto run = first.next()) {
    history.emplace_back(run->load, std::log(run->load / 4000) + 0.01 * normal(random));
    first.add(history.back().second);
  }
  SloSearch second(range, 5);
  for (const auto& [load, over] : history) {
    const auto run = second.next();
    ASSERT_TRUE(run);
    EXPECT_DOUBLE_EQ(run->load, load);
    second.add(over);
  }
  EXPECT_FALSE(second.next());
}

}  // namespace
}  // namespace fathom::stats::loads
