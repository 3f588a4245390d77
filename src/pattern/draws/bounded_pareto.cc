// Inversion: u in [0, 1) -> x = (1 - u (1 - (n+1)^-a))^(-1/a).
#include "pattern/draws/bounded_pareto.h"

#include <algorithm>
#include <cmath>

namespace fathom::pattern::draws {

BoundedPareto::BoundedPareto(double exponent, std::uint64_t n)
    : power_(-1 / exponent),
      span_(-std::expm1(-exponent * std::log(static_cast<double>(std::max<std::uint64_t>(n, 1)) + 1))),
      last_(static_cast<double>(std::max<std::uint64_t>(n, 1)) - 1) {}

std::uint64_t BoundedPareto::operator()(base::Prng& prng) const {
  const double x = std::pow(1 - prng.unit() * span_, power_);
  return static_cast<std::uint64_t>(std::min(x - 1, last_));
}

}  // namespace fathom::pattern::draws
