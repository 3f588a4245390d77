// Each distribution against the formula that names it (chi-square, fixed seeds), in range up to 2^52, and each block by
// one rank.
#include "pattern/sampler.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "pattern/statistics.h"

namespace fathom::pattern::testing {
namespace {

constexpr int kDraws = 400'000;

template <class Generator>
std::vector<double> count_draws(const Generator& generator, std::uint64_t n, std::uint64_t seed) {
  std::vector<double> counts(n);
  base::Prng prng(seed);
  for (int i = 0; i < kDraws; ++i) ++counts.at(generator(prng));
  return counts;
}

std::vector<double> scaled(std::vector<double> weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight *= kDraws / sum;
  return weights;
}

Spec spec_of(Kind kind, double parameter, double center = -1) { return {kind, parameter, center, {}}; }

TEST(Sampler, uniform_draws_are_even) {
  for (const std::uint64_t n : {1ull, 2ull, 7ull, 1000ull, 4096ull}) {
    const auto counts = count_draws(Sampler({}, n, 4096, 1), n, n);
    if (n > 1) {
      EXPECT_TRUE(chi_square(counts, scaled(std::vector<double>(n, 1))).plausible()) << n;
    }
  }
}

TEST(Zipf, ranks_follow_the_law) {
  for (const double theta : {0.2, 0.6, 0.99, 1.0, 1.2, 2.5, 5.0})
    for (const std::uint64_t n : {2ull, 10ull, 1000ull}) {
      std::vector<double> law(n);
      for (std::uint64_t rank = 0; rank < n; ++rank) law[rank] = std::pow(static_cast<double>(rank + 1), -theta);
      const auto chi = chi_square(count_draws(draws::Zipf(theta, n), n, n + 5), scaled(law));
      EXPECT_TRUE(chi.plausible()) << theta << ' ' << n << ": " << chi.value << " in " << chi.cells;
    }
}

TEST(Zipf, a_wrong_theta_is_noticed) {
  std::vector<double> law(1000);
  for (std::size_t rank = 0; rank < law.size(); ++rank) law[rank] = std::pow(static_cast<double>(rank + 1), -1.22);
  EXPECT_FALSE(chi_square(count_draws(draws::Zipf(1.2, 1000), 1000, 5), scaled(law)).plausible());
}

TEST(Zipf, ranges_of_2_to_the_52_keep_the_hottest_ranks) {
  const std::uint64_t n = 1ull << 52;
  const draws::Zipf zipf(1.5, n);
  base::Prng prng(3);
  std::uint64_t first = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t rank = zipf(prng);
    ASSERT_LT(rank, n);
    first += rank == 0 ? 1 : 0;
  }
  const double share = 1 / 2.6123753486854883;  // 1 / zeta(1.5)
  EXPECT_NEAR(static_cast<double>(first), kDraws * share, 4 * std::sqrt(kDraws * share * (1 - share)));
}

TEST(Pareto, draws_match_the_pareto_law) {
  for (const double h : {0.1, 0.2, 0.4, 0.9})
    for (const std::uint64_t n : {10ull, 100ull, 1000ull}) {
      const double inverse_power = std::log1p(-h) / std::log(h);
      std::vector<double> law(n);
      for (std::uint64_t rank = 0; rank < n; ++rank)
        law[rank] = std::pow((rank + 1.0) / n, inverse_power) - std::pow(static_cast<double>(rank) / n, inverse_power);
      const auto chi = chi_square(count_draws(draws::Pareto(h, n), n, n + 9), scaled(law));
      EXPECT_TRUE(chi.plausible()) << h << ' ' << n << ": " << chi.value << " in " << chi.cells;
    }
}

TEST(Pareto, eighty_percent_in_twenty) {
  const auto counts = count_draws(draws::Pareto(0.2, 1000), 1000, 4);
  double hot = 0;
  for (std::size_t i = 0; i < 200; ++i) hot += counts[i];
  EXPECT_NEAR(hot / kDraws, 0.8, 4 * std::sqrt(0.16 / kDraws));
}

TEST(Normal, ranks_follow_the_law) {
  for (const double percent : {1.0, 5.0, 20.0, 80.0}) {
    const std::uint64_t n = 1000;
    const double deviation = n * percent / 100;
    const auto below = [&](double x) { return 0.5 * std::erfc(-(x - n / 2.0) / deviation / std::sqrt(2.0)); };
    std::vector<double> law(n);
    for (std::uint64_t rank = 0; rank < n; ++rank) law[rank] = below(rank + 1.0) - below(rank);
    const auto chi = chi_square(count_draws(draws::Normal(percent, n), n, 11), scaled(law));
    EXPECT_TRUE(chi.plausible()) << percent << ": " << chi.value << " in " << chi.cells;
  }
}

TEST(Zoned, zones_get_their_shares_evenly) {
  Spec spec;
  spec.kind = Kind::zoned;
  spec.zones = {{60, 10, 0}, {30, 20, 0}, {8, 30, 0}, {2, 40, 0}};
  std::vector<double> law(1000);
  for (std::size_t i = 0; i < 1000; ++i)
    law[i] = i < 100 ? 60 / 100.0 : i < 300 ? 30 / 200.0 : i < 600 ? 8 / 300.0 : 2 / 400.0;
  EXPECT_TRUE(chi_square(count_draws(Sampler(spec, 1000, 4096, 1), 1000, 2), scaled(law)).plausible());
}

TEST(Zoned, zoned_abs_sizes_are_rounded_to_blocks) {
  Spec spec;
  spec.kind = Kind::zoned_abs;
  spec.zones = {{95, 0, 10 * 4096}, {5, 0, 40 * 4096}};
  std::vector<double> law(100);
  for (std::size_t i = 0; i < 50; ++i) law[i] = i < 10 ? 9.5 : 5 / 40.0;
  const auto counts = count_draws(Sampler(spec, 100, 4096, 1), 100, 2);
  EXPECT_TRUE(chi_square(std::vector<double>(counts.begin(), counts.begin() + 50),
                         scaled(std::vector<double>(law.begin(), law.begin() + 50)))
                  .plausible());
  EXPECT_EQ(std::count(counts.begin() + 50, counts.end(), 0.0), 50);
}

TEST(Zoned, zones_without_access_are_never_drawn) {
  Spec spec;
  spec.kind = Kind::zoned;
  spec.zones = {{0, 50, 0}, {100, 50, 0}};
  const auto counts = count_draws(Sampler(spec, 100, 4096, 1), 100, 2);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(counts[i], 0);
}

TEST(Sampler, every_block_has_one_rank_with_the_hottest_at_the_center) {
  for (const Kind kind : {Kind::zipf, Kind::pareto, Kind::normal})
    for (const double center : {-1.0, 0.0, 0.25, 0.999, 1.0})
      for (const std::uint64_t n : {1ull, 2ull, 999ull}) {
        const Spec spec = spec_of(kind, 0.5, center);
        const Placement place(spec, n, 17);
        std::vector<bool> seen(n);
        for (std::uint64_t rank = 0; rank < n; ++rank) {
          ASSERT_LT(place(rank), n);
          ASSERT_FALSE(seen[place(rank)]);
          seen[place(rank)] = true;
        }
        const std::uint64_t hottest = kind == Kind::normal ? n / 2 : 0;
        if (center >= 0) {
          EXPECT_EQ(place(hottest), std::min(static_cast<std::uint64_t>(n * center), n - 1));
        }
      }
}

TEST(Sampler, the_blocks_drawn_most_are_the_hot_ranks) {
  const Spec spec = spec_of(Kind::zipf, 1.2, 0.5);
  auto counts = count_draws(Sampler(spec, 1000, 4096, 3), 1000, 6);
  EXPECT_EQ(std::max_element(counts.begin(), counts.end()) - counts.begin(), 500);
  std::sort(counts.rbegin(), counts.rend());
  EXPECT_NEAR(counts[0] / counts[1], std::pow(2, 1.2), 0.1);
}

TEST(Sampler, draws_are_in_range_for_every_size) {
  EXPECT_TRUE(rc::check([] {
    Spec spec =
        spec_of(*rc::gen::element(Kind::uniform, Kind::zipf, Kind::pareto, Kind::normal, Kind::zoned, Kind::zoned_abs),
                0, *rc::gen::element(-1.0, 0.0, 0.3, 1.0));
    spec.parameter = spec.kind == Kind::normal ? *rc::gen::inRange(1, 100) : *rc::gen::inRange(1, 99) / 100.0;
    spec.zones = {{50, 0.5, 4096}, {0, 10, 1u << 20}, {50, 89.5, 1ull << 40}};
    const unsigned bits = *rc::gen::inRange(0u, 53u);
    const std::uint64_t n =
        bits == 52 ? 1ull << 52 : (1ull << bits) + *rc::gen::inRange<std::uint64_t>(0, 1ull << bits);
    const Sampler sampler(spec, n, 4096, *rc::gen::arbitrary<std::uint64_t>());
    base::Prng prng(*rc::gen::arbitrary<std::uint64_t>()), again = prng;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t block = sampler(prng);
      RC_ASSERT(block < n);
      RC_ASSERT(block == sampler(again));
    }
  }));
}

}  // namespace
}  // namespace fathom::pattern::testing
