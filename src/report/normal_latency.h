// Latency lines and percentile tables of the text report.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "result/result.h"

namespace fathom::report {

struct LatencySummary {
  std::uint64_t n = 0, min_ns = 0, max_ns = 0;
  double mean_ns = 0, stddev_ns = 0;
};
LatencySummary summary_of(const stats::Moments& moments_ns);

// "    clat (usec): min=54, max=341, avg=71.11, stdev=27.61\n"; empty without samples. The name is right-aligned.
std::string latency_line(std::string_view name, const LatencySummary& summary);

// "    clat percentiles (usec):\n     |  1.00th=[   55], ...\n"; values_ns[i] belongs to percentiles[i]; empty without
// percentiles. Values are rounded up to the unit, as in fio, but never above the largest sample as its line shows it.
std::string percentile_table(std::string_view name, std::span<const std::uint64_t> values_ns,
                             std::span<const double> percentiles, std::uint64_t max_ns = UINT64_MAX);

}  // namespace fathom::report
