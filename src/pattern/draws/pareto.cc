// One power a sample.
#include "pattern/draws/pareto.h"

#include <algorithm>
#include <cmath>

namespace fathom::pattern::draws {

Pareto::Pareto(double h, std::uint64_t n)
    : power_(std::log(h) / std::log1p(-h)), n_(static_cast<double>(std::max<std::uint64_t>(n, 1))) {}

std::uint64_t Pareto::operator()(base::Prng& prng) const {
  return static_cast<std::uint64_t>(std::min(n_ * std::pow(prng.unit(), power_), n_ - 1));
}

}  // namespace fathom::pattern::draws
