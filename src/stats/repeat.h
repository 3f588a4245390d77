// Statistics over repetitions: mean, deviation, median, and what they say of the next one. Times and rates are positive
// and lean to one side, so their interval is Student's t on a log scale: it says in which factor the typical value (the
// geometric mean) lies, and is never negative. Where some are zero it is Student's of the mean, cut off at zero, and
// differences, which may be negative, have the same, not cut off. Two values are too few for either: they give a range.
#pragma once
#include <span>
#include <vector>

namespace fathom::stats {

inline constexpr std::size_t kFewestForInterval = 3;

struct RepeatSummary {
  double mean = 0, stddev = 0, median = 0;
  double ci95_low = 0, ci95_high = 0;  // of fewer than kFewestForInterval values: the smallest and the largest
};

// No values: zeros.
RepeatSummary summarize(std::span<const double> values);
// Of values that may be negative, whatever these happen to be: Student's interval of the mean.
RepeatSummary summarize_differences(std::span<const double> values);
// Student's 95 % interval of the mean, to either side: for values of which many are added up. 0 for fewer than two.
double half_interval_of_mean(std::span<const double> values);
// Within -t and t lies so much (0 < central < 1) of Student's distribution with `degrees` of freedom; 0 degrees: 0.
double t_quantile(double central, unsigned degrees);
inline double t_quantile_975(unsigned degrees) { return t_quantile(0.95, degrees); }

}  // namespace fathom::stats
