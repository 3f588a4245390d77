// Percentiles of samples with exactly known minimum and maximum. A histogram alone returns the middle of a bucket,
// which may be up to 0.78 % above the largest sample, or below the smallest: a p99.9 above the maximum. Here every
// result is within the range of the samples. Every report takes its percentiles from here (tests/house/style_test.py).
// The plain middle (Histogram::percentile), which fio prints, is for stats/ and its tests. Pure.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "stats/histogram.h"
#include "stats/moments.h"

namespace fathom::stats {

// Percentile and value, for a stored latency that has no histogram. Empty if it has one.
using PercentileTable = std::vector<std::pair<double, std::uint64_t>>;

// As Histogram::percentiles, limited to [min, max] of the moments of the same samples; 100 is the maximum. Without
// moments (n = 0) there is no limit.
std::vector<std::uint64_t> percentiles_within(const Histogram& histogram, const Moments& seen,
                                              std::span<const double> rising_ps);
std::uint64_t percentile_within(const Histogram& histogram, const Moments& seen, double p);

}  // namespace fathom::stats
