// Limits the histogram's percentiles to the measured minimum and maximum.
#include "stats/percentiles.h"

#include <algorithm>

namespace fathom::stats {

std::vector<std::uint64_t> percentiles_within(const Histogram& histogram, const Moments& seen,
                                              std::span<const double> rising_ps) {
  auto values = histogram.percentiles(rising_ps);
  if (histogram.empty() || seen.n == 0 || seen.min() > seen.max) return values;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = rising_ps[i] >= 100 ? seen.max : std::clamp(values[i], seen.min(), seen.max);
  return values;
}

std::uint64_t percentile_within(const Histogram& histogram, const Moments& seen, double p) {
  return percentiles_within(histogram, seen, {&p, 1})[0];
}

}  // namespace fathom::stats
