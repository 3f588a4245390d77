// Every pattern, as the touch loop sees it: its law (chi-square against the formula that names it), words and
// directions, permutation, seeds, and what is refused.
#include "paging/sources/access_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/sanitized.h"
#include "paging/source_support.h"
#include "paging/sources/sources_drawn.h"
#include "pattern/statistics.h"

namespace fathom::paging {
namespace {

using pattern::testing::chi_square;
constexpr std::size_t kDraws = base::kSanitized ? 128'000 : 512'000;

std::vector<double> law(std::uint64_t n, const std::function<double(double rank)>& weight) {
  std::vector<double> expected(n);
  double sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) sum += expected[i] = weight(static_cast<double>(i));
  for (double& x : expected) x *= kDraws / sum;
  return expected;
}

void expect_law(const PatternPlan& plan, std::uint64_t n, const std::vector<double>& expected) {
  const auto chi = chi_square(page_counts(plan, n, kDraws), expected);
  EXPECT_TRUE(chi.plausible()) << plan.name << ' ' << n << ": " << chi.value << " in " << chi.cells;
}

double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// Distribution of the mean of twelve uniforms, at x in [0, 1] (Irwin and Hall, Biometrika 19, 1927).
double irwin_hall_below(double x) {
  double sum = 0, choose = 1, factorial = 479001600;
  for (int k = 0; k <= std::floor(12 * x); ++k) {
    sum += (k % 2 == 0 ? 1 : -1) * choose * std::pow(12 * x - k, 12);
    choose = choose * (12 - k) / (k + 1);
  }
  return sum / factorial;
}

TEST(AccessPattern, uniform_matches_its_law) {
  for (const std::uint64_t n : {2ull, 7ull, 1000ull, 4096ull})
    expect_law(plan_of("uniform"), n, law(n, [](double) { return 1; }));
}

TEST(AccessPattern, linear_visits_pages_in_strides_of_its_shape) {
  PatternPlan plan = plan_of("linear");
  plan.shape = 3;
  const auto accesses = play(plan, 10, 1);
  const std::uint64_t order[] = {0, 3, 6, 9, 1, 4, 7, 2, 5, 8};
  for (std::size_t i = 0; i < accesses.size(); ++i) EXPECT_EQ(accesses[i].offset_bytes() / 4096, order[i % 10]);
}

TEST(AccessPattern, linear_starts_each_worker_at_its_share_of_the_round) {
  PatternPlan plan = plan_of("linear");
  plan.shape = 7;
  for (unsigned worker = 0; worker < 4; ++worker) {
    const auto source = make(plan, 1280, worker, 4);
    EXPECT_EQ(play(*source, 1)[0].offset_bytes() / 4096, worker * 320);
    play(*source, 9);  // a round is 10 blocks
    EXPECT_EQ(play(*source, 1)[0].offset_bytes() / 4096, worker * 320);
    for (const double count : page_counts(*source, 1280, 1280)) EXPECT_EQ(count, 1);
  }
}

TEST(AccessPattern, normal_redraws_outside_the_set) {
  for (const double deviation : {20.0, 125.0, 900.0}) {
    PatternPlan plan = plan_of("normal");
    plan.shape = deviation;
    const auto expected = law(1000, [&](double page) {
      return normal_below((page + 1 - 500) / deviation) - normal_below((page - 500) / deviation);
    });
    expect_law(plan, 1000, expected);
  }
}

TEST(AccessPattern, normal_defaults_to_a_deviation_of_an_eighth_of_the_set) {
  const auto expected =
      law(1000, [](double page) { return normal_below((page - 499) / 125) - normal_below((page - 500) / 125); });
  expect_law(plan_of("normal"), 1000, expected);
}

TEST(AccessPattern, normal_ih_matches_the_irwin_hall_law) {
  for (const std::uint64_t n : {10ull, 1000ull}) {
    const double pages = static_cast<double>(n);
    expect_law(plan_of("normal_ih"), n, law(n, [&](double page) {
                 return page + 1 <= pages / 2
                            ? irwin_hall_below((page + 1) / pages) - irwin_hall_below(page / pages)
                            : irwin_hall_below(1 - page / pages) - irwin_hall_below(1 - (page + 1) / pages);
               }));
  }
}

TEST(AccessPattern, pareto_matches_its_law) {
  for (const double exponent : {0.3, 1.0, 1.00001, 1.161, 3.0})
    for (const std::uint64_t n : {2ull, 10ull, 1000ull}) {
      PatternPlan plan = plan_of("pareto");
      plan.shape = exponent;
      expect_law(plan, n,
                 law(n, [&](double page) { return std::pow(page + 1, -exponent) - std::pow(page + 2, -exponent); }));
    }
}

TEST(AccessPattern, zipf_matches_its_law) {
  for (const double exponent : {0.2, 0.99, 1.0, 1.2, 3.0})
    for (const std::uint64_t n : {2ull, 1000ull}) {
      PatternPlan plan = plan_of("zipf");
      plan.shape = exponent;
      expect_law(plan, n, law(n, [&](double page) { return std::pow(page + 1, -exponent); }));
    }
}

TEST(AccessPattern, permute_keeps_frequencies_and_scatters_hot_pages) {
  for (const char* name : {"zipf", "pareto", "normal", "normal_ih", "hot"}) {
    PatternPlan plan = plan_of(name);
    auto plain = page_counts(plan, 1000, kDraws);
    plan.permute = true;
    auto scattered = page_counts(plan, 1000, kDraws);
    EXPECT_NE(plain, scattered) << name;
    std::vector<std::size_t> hottest(1000);
    for (std::size_t i = 0; i < 1000; ++i) hottest[i] = i;
    std::sort(hottest.begin(), hottest.end(), [&](auto a, auto b) { return scattered[a] > scattered[b]; });
    int neighbours = 0;
    std::sort(hottest.begin(), hottest.begin() + 20);
    for (std::size_t i = 1; i < 20; ++i) neighbours += hottest[i] - hottest[i - 1] == 1 ? 1 : 0;
    EXPECT_LT(neighbours, 6) << name;
    // The same draws, elsewhere: the counts are the same numbers in another order.
    std::sort(plain.begin(), plain.end());
    std::sort(scattered.begin(), scattered.end());
    EXPECT_EQ(plain, scattered) << name;
  }
}

TEST(AccessPattern, permuted_linear_visits_each_page_once_a_round) {
  PatternPlan plan = plan_of("linear");
  plan.permute = true;
  for (const double count : page_counts(plan, 1280, 1280)) EXPECT_EQ(count, 1);
}

TEST(AccessPattern, reads_follow_read_percent) {
  for (const char* name : {"uniform", "linear", "zipf", "hot", "legacy:uniform"})
    for (const int percent : {0, 1, 30, 50, 99, 100}) {
      PatternPlan plan = plan_of(name);
      plan.read_percent = percent;
      const auto accesses = play(plan, 1000, 1000);
      const double reads = static_cast<double>(
          std::count_if(accesses.begin(), accesses.end(), [](sources::Access a) { return !a.write(); }));
      const double n = static_cast<double>(accesses.size()), p = percent / 100.0;
      if (percent == 0 || percent == 100) {
        EXPECT_EQ(reads, n * p) << name;
      }
      EXPECT_NEAR(reads / n, p, 0.001 + 4 * std::sqrt(p * (1 - p) / n)) << name;
    }
}

TEST(InPage, a_draw_below_the_percentage_is_a_read) {
  const auto write = [](double percent, std::uint64_t draw) { return sources::InPage(0, percent)(draw) == 1; };
  EXPECT_TRUE(write(0, 0) && write(0, 0xffffffff) && write(0, 0xabcd'00000000));
  EXPECT_FALSE(write(100, 0) || write(100, 0xffffffff) || write(100, ~0ull));
  EXPECT_FALSE(write(50, 0x7fffffff));
  EXPECT_TRUE(write(50, 0x80000000));
  EXPECT_EQ(sources::InPage(-1, 100)(~0ull), 0xffcu);
  EXPECT_EQ(sources::InPage(5, 0)(~0ull), 21u);
}

// Words even, and independent of page and direction: the uniform pattern takes all three from one draw.
TEST(AccessPattern, word_page_and_direction_are_independent) {
  for (const char* name : {"uniform", "linear", "hot", "zipf"}) {
    PatternPlan plan = plan_of(name);
    plan.read_percent = 25;
    plan.shape = name == std::string("zipf") ? std::optional(0.01) : std::nullopt;
    plan.hot_access_percent = plan.hot_set_percent = 25;
    std::vector<double> counts(8 * 1024 * 2);
    for (const sources::Access access : play(plan, 8, 8'000)) {
      ASSERT_EQ(access.offset_bytes() % 4, 0u);
      ASSERT_LT(access.offset_bytes(), 8u * 4096);
      ++counts[access.offset_bytes() / 4 * 2 + (access.write() ? 1 : 0)];
    }
    std::vector<double> expected(counts.size());
    std::vector<double> pages(8);
    for (std::size_t i = 0; i < counts.size(); ++i) pages[i / 2048] += counts[i];
    for (std::size_t i = 0; i < counts.size(); ++i) expected[i] = pages[i / 2048] / 1024 * (i % 2 == 1 ? 0.75 : 0.25);
    const auto chi = chi_square(counts, expected);
    EXPECT_TRUE(chi.plausible()) << name << ": " << chi.value << " in " << chi.cells;
  }
}

TEST(AccessPattern, offset_words_fixes_the_word) {
  for (const std::int64_t words : {0, 1, 1023}) {
    PatternPlan plan = plan_of("zipf");
    plan.offset_words = words;
    for (const sources::Access access : play(plan, 100, 4))
      EXPECT_EQ(access.offset_bytes() % 4096, static_cast<std::uint64_t>(words) * 4);
  }
}

TEST(AccessPattern, uniform_reaches_both_ends_of_a_tebibyte) {
  const std::uint64_t pages = (1ull << 40) / 4096;
  std::uint64_t low = ~0ull, high = 0;
  for (const sources::Access access : play(plan_of("uniform"), pages, 1000)) {
    low = std::min(low, access.offset_bytes());
    high = std::max(high, access.offset_bytes());
  }
  EXPECT_LT(low, 1ull << 28);
  EXPECT_LT(high, 1ull << 40);
  EXPECT_GT(high, (1ull << 40) - (1ull << 28));
}

TEST(AccessPattern, repeats_by_seed_and_differs_by_worker) {
  for (const char* name : {"uniform", "normal", "zipf", "hot"}) {
    PatternPlan plan = plan_of(name);
    const auto values = [&](unsigned worker) {
      std::vector<std::uint64_t> all;
      for (const sources::Access access : play(*make(plan, 1000, worker, 4), 2)) all.push_back(access.v);
      return all;
    };
    const auto first = values(0);
    EXPECT_EQ(first, values(0));
    EXPECT_NE(first, values(1));
    plan.seed = 2;
    EXPECT_NE(first, values(0));
  }
}

TEST(AccessPattern, warmup_accesses_depend_on_the_pattern) {
  const auto length = [](const char* name) { return make(plan_of(name), 1000)->warmup_accesses(); };
  EXPECT_EQ(length("uniform"), 4000u);
  EXPECT_EQ(length("linear"), 1000u);
  EXPECT_EQ(length("normal"), 1000u);
  EXPECT_EQ(length("normal_ih"), 999u);
  EXPECT_EQ(length("pareto"), 8000u);
  EXPECT_EQ(length("zipf"), 8000u);
  EXPECT_EQ(length("hot"), 8000u);
}

}  // namespace
}  // namespace fathom::paging
