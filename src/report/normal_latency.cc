// fio fills a line of 80 columns with as many percentiles as fit; a table has one unit, and values are rounded up into
// it.
#include "report/normal_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/numbers.h"

namespace fathom::report {
namespace {

constexpr unsigned kTableColumns = 73;  // 80 less the left border

// Decimals that the longest percentile needs.
unsigned decimals_of(std::span<const double> percentiles) {
  unsigned most = 0;
  for (double p : percentiles) {
    unsigned decimals = 0;
    double scale = 1;
    while (decimals < 8 && std::abs(std::round(p * scale) / scale - p) > 1e-10) {
      scale *= 10;
      ++decimals;
    }
    most = std::max(most, decimals);
  }
  return most;
}

std::uint64_t rounded_up(std::uint64_t ns, TimeUnit unit) {
  for (unsigned i = 0; i < unit.thousands; ++i) ns = (ns + 999) / 1000;
  return ns;
}

}  // namespace

LatencySummary summary_of(const stats::Moments& moments_ns) {
  return {moments_ns.n, moments_ns.min(), moments_ns.max, moments_ns.mean(), moments_ns.stddev()};
}

std::string latency_line(std::string_view name, const LatencySummary& summary) {
  if (summary.n == 0) return "";
  const TimeUnit unit = line_unit(summary.min_ns, summary.max_ns, summary.stddev_ns);
  const auto divisor = static_cast<std::uint64_t>(unit.ns);
  return fmt::format("{:>8} ({}): min={}, max={}, avg={:5.2f}, stdev={:5.2f}\n", name, unit.name,
                     scaled(summary.min_ns / divisor, kLatencyDigits, Base::k1000),
                     scaled(summary.max_ns / divisor, kLatencyDigits, Base::k1000), summary.mean_ns / unit.ns,
                     summary.stddev_ns / unit.ns);
}

std::string percentile_table(std::string_view name, std::span<const std::uint64_t> values_ns,
                             std::span<const double> percentiles, std::uint64_t max_ns) {
  if (values_ns.empty() || values_ns.size() != percentiles.size()) return "";
  const auto [lowest, highest] = std::minmax_element(values_ns.begin(), values_ns.end());
  const TimeUnit unit = table_unit(*lowest, *highest);
  const auto in_unit = [&](std::uint64_t ns) {
    return std::min(rounded_up(ns, unit), max_ns / static_cast<std::uint64_t>(unit.ns));
  };
  const std::size_t width = std::max<std::size_t>(5, fmt::formatted_size("{}", in_unit(*highest)));
  const unsigned decimals = decimals_of(percentiles);
  const std::size_t per_line = std::max<std::size_t>(1, kTableColumns / (decimals + 10 + width));

  std::string out = fmt::format("    {} percentiles ({}):\n     |", name, unit.name);
  for (std::size_t i = 0; i < values_ns.size(); ++i) {
    if (i != 0 && i % per_line == 0) out += "\n     |";
    out += fmt::format(" {:{}.{}f}th=[{:{}}]{}", percentiles[i], decimals + 3, decimals, in_unit(values_ns[i]), width,
                       i + 1 == values_ns.size() ? "" : ",");
  }
  return out + "\n";
}

}  // namespace fathom::report
