// The arithmetic of rejection-inversion; expm1 and log1p keep it exact where theta is near 1, where the integral
// becomes log x.
#include "pattern/draws/zipf.h"

#include <algorithm>
#include <cmath>

namespace fathom::pattern::draws {
namespace {

double expm1_over(double t) { return std::abs(t) > 1e-8 ? std::expm1(t) / t : 1 + t / 2; }
double log1p_over(double t) { return std::abs(t) > 1e-8 ? std::log1p(t) / t : 1 - t / 2; }

}  // namespace

Zipf::Zipf(double theta, std::uint64_t n) : theta_(theta), n_(static_cast<double>(std::max<std::uint64_t>(n, 1))) {
  integral_first_ = hat_integral(1.5) - 1;
  integral_last_ = hat_integral(n_ + 0.5);
  always_accept_ = 2 - hat_integral_inverse(hat_integral(2.5) - std::pow(2, -theta_));
}

double Zipf::hat_integral(double x) const {
  const double log_x = std::log(x);
  return expm1_over((1 - theta_) * log_x) * log_x;
}

double Zipf::hat_integral_inverse(double y) const {
  const double t = std::max(y * (1 - theta_), -1.0);
  return std::exp(log1p_over(t) * y);
}

std::uint64_t Zipf::operator()(base::Prng& prng) const {
  for (;;) {
    const double y = integral_last_ + prng.unit() * (integral_first_ - integral_last_);
    const double x = hat_integral_inverse(y);
    const double rank = std::clamp(std::floor(x + 0.5), 1.0, n_);
    if (rank - x <= always_accept_ || y >= hat_integral(rank + 0.5) - std::pow(rank, -theta_))
      return static_cast<std::uint64_t>(rank) - 1;
  }
}

}  // namespace fathom::pattern::draws
