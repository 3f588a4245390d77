// The continued fraction converges fast to the left of the distribution's middle. To the right, its mirror image is
// computed.
#include "stats/comparison/student.h"

#include <cmath>
#include <limits>

namespace fathom::stats::comparison {
namespace {

constexpr double kTiny = 1e-300;
constexpr int kMostTerms = 100'000;  // about the square root of the larger parameter is needed

double not_zero(double value) { return std::fabs(value) < kTiny ? kTiny : value; }

double continued_fraction(double x, double a, double b) {
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int i = 1; i <= kMostTerms; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d), c = not_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d), c = not_zero(1 + odd / c);
    fraction *= d * c;
    if (std::fabs(d * c - 1) < 1e-16) break;
  }
  return fraction;
}

}  // namespace

double incomplete_beta(double x, double rest, double a, double b) {
  if (!(x > 0)) return 0;
  if (!(rest > 0)) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(rest));
  return x < (a + 1) / (a + b + 2) ? front * continued_fraction(x, a, b) / a
                                   : 1 - front * continued_fraction(rest, b, a) / b;
}

double two_sided_p(double t, double degrees) {
  if (!(degrees > 0) || std::isnan(t)) return 1;
  if (std::isinf(t)) return 0;
  const double whole = degrees + t * t;
  return incomplete_beta(degrees / whole, t * t / whole, degrees / 2, 0.5);
}

double student_quantile(double central, double degrees) {
  if (!(degrees > 0)) return std::numeric_limits<double>::infinity();
  const double outside = 1 - central;
  double low = 0, high = 2;
  while (two_sided_p(high, degrees) > outside && high < 1e100) high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (two_sided_p(middle, degrees) > outside ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace fathom::stats::comparison
