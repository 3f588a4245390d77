// The exponent from the curve of touched pages alone: simulated accesses by a known law, counted at growing times.
#include "paging/learn/fit/growth_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/prng.h"
#include "pattern/draws/zipf.h"

namespace fathom::paging::learn {
namespace {

// accesses: made until the first point; each further one has twice as many.
std::vector<fit::GrowthCurve> simulate_growth(double theta, unsigned pages, unsigned accesses, unsigned points,
                                              unsigned curves) {
  base::Prng prng(11);
  const pattern::draws::Zipf zipf(theta > 0 ? theta : 1, pages);
  std::vector<fit::GrowthCurve> out;
  for (unsigned c = 0; c < curves; ++c) {
    std::vector<bool> touched(pages, false);
    fit::GrowthCurve curve;
    double count = 0;
    unsigned done = 0;
    for (unsigned point = 0; point < points; ++point) {
      for (; done < accesses << point; ++done) {
        const auto page = theta > 0 ? zipf(prng) : prng.below(pages);
        count += !touched[page];
        touched[page] = true;
      }
      curve.push_back({1e-3 * (1 << point), count});
    }
    out.push_back(curve);
  }
  return out;
}

struct GrowthCase {
  double theta;
  unsigned pages, accesses;
};
class GrowthFitOfZipf : public testing::TestWithParam<GrowthCase> {};
TEST_P(GrowthFitOfZipf, ASimulatedThetaIsRecovered) {
  const auto [theta, pages, accesses] = GetParam();
  const fit::GrowthFit fit = fit::fit_growth(simulate_growth(theta, pages, accesses, 9, 12), pages * 1.1);
  ASSERT_TRUE(fit.valid);
  EXPECT_NEAR(fit.theta, theta, 3 * fit.error + 0.05);
  EXPECT_LT(fit.error, 0.15);
  EXPECT_LT(fit.misfit, 0.02);
}
INSTANTIATE_TEST_SUITE_P(Laws, GrowthFitOfZipf,
                         testing::Values(GrowthCase{0.6, 8192, 500}, GrowthCase{0.8, 8192, 500},
                                         GrowthCase{0.99, 8192, 500}, GrowthCase{1.2, 8192, 1000},
                                         GrowthCase{0.99, 32768, 2000}));

TEST(GrowthFit, EqualRatesHaveThetaNearZero) {
  const fit::GrowthFit fit = fit::fit_growth(simulate_growth(0, 8192, 500, 8, 12), 9000);
  ASSERT_TRUE(fit.valid);
  EXPECT_LT(fit.theta, 0.15);
  EXPECT_NEAR(fit.pages, 8192, 300);
  EXPECT_NEAR(fit.accesses_per_s, 500e3, 50e3);
}

TEST(GrowthFit, AConstantTimeOffsetOfThePointsDoesNotChangeTheta) {
  for (const double late : {-0.4e-3, 0.5e-3}) {
    auto curves = simulate_growth(0.99, 8192, 500, 9, 6);
    for (auto& curve : curves)
      for (auto& point : curve) point.time_s += late;
    const fit::GrowthFit fit = fit::fit_growth(curves, 9000);
    EXPECT_NEAR(fit.theta, 0.99, 0.15) << late;
  }
}

TEST(GrowthFit, ASaturatedOrEmptyCurveIsInvalid) {
  EXPECT_FALSE(fit::fit_growth(simulate_growth(0, 200, 5000, 9, 12), 200).valid);
  EXPECT_FALSE(fit::fit_growth({}, 100).valid);
}

}  // namespace
}  // namespace fathom::paging::learn
