// Two subtractions remove a group from two sums, so the whole computation is linear in the number of groups.
#include "stats/ratio.h"

#include <cmath>

#include "stats/repeat.h"

namespace fathom::stats {

Ratio jackknife_ratio(std::span<const RatioGroup> groups) {
  double part = 0, whole = 0;
  Ratio out;
  for (const auto& g : groups) {
    if (g.whole <= 0) continue;
    part += g.part;
    whole += g.whole;
    ++out.groups;
  }
  if (whole <= 0) return out;
  out.value = part / whole;
  if (out.groups < kFewestForInterval) return out;
  const double n = static_cast<double>(out.groups);
  double sum = 0, squares = 0;
  for (const auto& g : groups) {
    if (g.whole <= 0) continue;
    const double without = (part - g.part) / (whole - g.whole) - out.value;
    sum += without;
    squares += without * without;
  }
  const double variance = (n - 1) / n * (squares - sum * sum / n);
  out.half_width = t_quantile_975(static_cast<unsigned>(out.groups - 1)) * std::sqrt(std::fmax(variance, 0));
  return out;
}

}  // namespace fathom::stats
