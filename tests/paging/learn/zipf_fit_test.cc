// The exponent comes back from simulated bits of pages whose rates follow a known law, within the error it states;
// equal rates give none, and what does not follow the law says so.
#include "paging/learn/fit/zipf_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"

namespace fathom::paging::learn {
namespace {

// Each page's count of K intervals; median: of the rate times the interval of the middle rank.
fit::SeenCounts simulate_seen(double theta, unsigned pages, unsigned intervals, double median, std::uint64_t seed,
                              double dead = 0) {
  base::Prng prng(seed);
  fit::SeenCounts counts(intervals + 1, 0);
  for (unsigned rank = 1; rank <= pages; ++rank) {
    const double rate = median * std::pow(rank / (pages / 2.0), -theta);
    const double p = -std::expm1(-rate);
    unsigned k = 0;
    for (unsigned i = 0; i < intervals; ++i) k += prng.unit() < p;
    ++counts[k];
  }
  counts[0] += static_cast<std::uint64_t>(dead * pages);
  return counts;
}

struct ZipfCase {
  double theta;
  unsigned pages;
  double median;
};
class ZipfFitOf : public testing::TestWithParam<ZipfCase> {};
TEST_P(ZipfFitOf, ASimulatedThetaIsRecoveredWithinItsError) {
  const auto [theta, pages, median] = GetParam();
  const fit::ZipfFit fit = fit::fit_zipf(simulate_seen(theta, pages, 60, median, 7));
  ASSERT_TRUE(fit.valid);
  EXPECT_NEAR(fit.theta, theta, 3 * fit.error + 0.01);
  EXPECT_LT(fit.error, pages < 2000 ? 0.12 : 0.05);
  EXPECT_LT(fit.misfit, pages < 2000 ? 0.06 : 0.03);
  EXPECT_NEAR(fit.pages, pages, 0.1 * pages);
}
INSTANTIATE_TEST_SUITE_P(Exponents, ZipfFitOf,
                         testing::Values(ZipfCase{0.6, 1024, 0.2}, ZipfCase{0.8, 1024, 0.2}, ZipfCase{0.99, 1024, 0.2},
                                         ZipfCase{1.2, 1024, 0.2}, ZipfCase{0.6, 16384, 0.1}, ZipfCase{0.8, 16384, 0.5},
                                         ZipfCase{0.99, 16384, 0.05}, ZipfCase{0.99, 16384, 1.0},
                                         ZipfCase{1.2, 16384, 0.3}, ZipfCase{0.6, 65536, 0.2},
                                         ZipfCase{0.99, 65536, 0.2}, ZipfCase{1.2, 65536, 0.1}));

TEST(ZipfFit, EqualRatesHaveThetaNearZero) {
  for (const double median : {0.05, 0.3, 1.5}) {
    const fit::ZipfFit fit = fit::fit_zipf(simulate_seen(0, 8192, 40, median, 3));
    ASSERT_TRUE(fit.valid);
    EXPECT_LT(fit.theta, std::max(0.05, 2.5 * fit.error)) << median;
    EXPECT_LT(fit.theta, 0.15) << median;
  }
}

TEST(ZipfFit, UntouchedPagesDoNotChangeTheta) {
  const fit::ZipfFit used = fit::fit_zipf(simulate_seen(0.99, 8192, 40, 0.2, 3)),
                     beside = fit::fit_zipf(simulate_seen(0.99, 8192, 40, 0.2, 3, 5));
  EXPECT_DOUBLE_EQ(used.theta, beside.theta);
}

TEST(ZipfFit, CountsSummedOverWindowsGiveTheSameTheta) {
  fit::SeenCounts sum(11, 0);
  for (int window = 0; window < 12; ++window) {
    const fit::SeenCounts one = simulate_seen(0.99, 4096, 10, 0.3, 100 + window);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += one[k];
  }
  const fit::ZipfFit fit = fit::fit_zipf(sum, 12);
  EXPECT_NEAR(fit.theta, 0.99, 3 * fit.error + 0.02);
  EXPECT_NEAR(fit.pages, 4096, 600);
}

TEST(ZipfFit, TwoRateLevelsHaveALargeMisfit) {
  fit::SeenCounts counts = simulate_seen(0, 2000, 60, 1.2, 1);
  const fit::SeenCounts cold = simulate_seen(0, 8000, 60, 0.05, 2);
  for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += cold[k];
  EXPECT_GT(fit::fit_zipf(counts).misfit, 0.06);
}

TEST(ZipfFit, TooFewOrSaturatedPagesAreInvalid) {
  EXPECT_FALSE(fit::fit_zipf({100, 10, 10, 5}).valid) << "too few pages";
  EXPECT_FALSE(fit::fit_zipf({0, 0, 0, 1000}).valid) << "all saturated";
  EXPECT_FALSE(fit::fit_zipf({}).valid);
}

TEST(ZipfFit, ExpectedPagesMatchTheCountedPages) {
  const fit::SeenCounts counts = simulate_seen(0.8, 8192, 50, 0.3, 5);
  double shown = 0;
  for (std::size_t k = 1; k < counts.size(); ++k) shown += static_cast<double>(k * counts[k]) / 50;
  const fit::ZipfFit fit = fit::fit_zipf(counts);
  EXPECT_NEAR(fit::expected_pages(fit), shown, 0.02 * shown);
  EXPECT_GT(fit::expected_pages(fit, 3), 1.5 * shown);
}

}  // namespace
}  // namespace fathom::paging::learn
