// Box-Muller: two uniforms, one normal. The second normal is thrown away, so that a sample depends on nothing before
// it.
#include "pattern/draws/normal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::pattern::draws {

Normal::Normal(double deviation_percent, std::uint64_t n)
    : n_(static_cast<double>(std::max<std::uint64_t>(n, 1))), mean_(n_ / 2), deviation_(n_ * deviation_percent / 100) {}

std::uint64_t Normal::operator()(base::Prng& prng) const {
  for (;;) {
    const double radius = std::sqrt(-2 * std::log(1 - prng.unit()));
    const double x = mean_ + deviation_ * radius * std::cos(2 * std::numbers::pi * prng.unit());
    if (x >= 0 && x < n_) return static_cast<std::uint64_t>(x);
  }
}

}  // namespace fathom::pattern::draws
