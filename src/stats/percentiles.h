// Percentiles of samples whose smallest and largest are known exactly. A histogram alone answers with the middle of a
// bucket, which may lie up to 0.78 % above the largest sample, or below the smallest: a p99.9 above the maximum. Here
// no answer lies outside of what was seen. Every report takes its percentiles from here (tests/house/style_test.py);
// the bare middle (Histogram::percentile), which fio prints, is for stats/ and its tests. Pure.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "stats/histogram.h"
#include "stats/moments.h"

namespace fathom::stats {

// Percentile and value: of a stored latency that has no histogram. Empty where there is one.
using PercentileTable = std::vector<std::pair<double, std::uint64_t>>;

// As Histogram::percentiles, within [min, max] of the moments of the same samples, and 100 is the maximum; without
// moments (n = 0) as it is.
std::vector<std::uint64_t> percentiles_within(const Histogram& histogram, const Moments& seen,
                                              std::span<const double> rising_ps);
std::uint64_t percentile_within(const Histogram& histogram, const Moments& seen, double p);

}  // namespace fathom::stats
