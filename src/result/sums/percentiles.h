// Percentiles of a latency in a result: from its histogram, or the stored ones if it was stored without a histogram.
// Pure.
#pragma once
#include <optional>
#include <span>

#include "stats/percentiles.h"

namespace fathom::result {

template <class L>
stats::PercentileTable percentiles_of(const L& latency, std::span<const double> rising_ps) {
  if (latency.histogram_ns.empty()) return latency.percentiles_ns;
  const auto values = stats::percentiles_within(latency.histogram_ns, latency.moments_ns, rising_ps);
  stats::PercentileTable table;
  for (std::size_t i = 0; i < values.size(); ++i) table.emplace_back(rising_ps[i], values[i]);
  return table;
}

// nullopt: unknown.
template <class L>
std::optional<std::uint64_t> percentile_of(const L& latency, double p) {
  for (const auto& [percentile, value] : percentiles_of(latency, std::span(&p, 1)))
    if (percentile == p) return value;
  return std::nullopt;
}

}  // namespace fathom::result
