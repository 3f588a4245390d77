// Statistics over repetitions: mean, deviation, median, and an interval. Times and rates are positive and skewed, so
// their interval is Student's t on a log scale. It gives the factor within which the typical value (the geometric mean)
// is known, and is never negative. If some values are zero, it is Student's interval of the mean, cut off at zero.
// Differences, which may be negative, have the same interval, not cut off. Two values are too few for both: they give a
// range.
#pragma once
#include <span>
#include <vector>

namespace fathom::stats {

inline constexpr std::size_t kFewestForInterval = 3;

struct RepeatSummary {
  double mean = 0, stddev = 0, median = 0;
  double ci95_low = 0, ci95_high = 0;  // fewer than kFewestForInterval values: the smallest and the largest
};

// No values: zeros.
RepeatSummary summarize(std::span<const double> values);
// For values that may be negative, even if the given ones are not: Student's interval of the mean.
RepeatSummary summarize_differences(std::span<const double> values);
// Half width of Student's 95 % interval of the mean, for values that are added up in large numbers. 0 for fewer than
// two.
double half_interval_of_mean(std::span<const double> values);
// The t for which the interval from -t to t has the share `central` (0 to 1, exclusive) of Student's distribution with
// `degrees` of freedom; 0 degrees: 0.
double t_quantile(double central, unsigned degrees);
inline double t_quantile_975(unsigned degrees) { return t_quantile(0.95, degrees); }

}  // namespace fathom::stats
