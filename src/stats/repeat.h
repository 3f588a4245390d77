// Statistics over repetitions: mean, deviation, median and a 95 % interval of the mean (Student's t).
#pragma once
#include <span>
#include <vector>

namespace fathom::stats {

struct RepeatSummary {
  double mean = 0, stddev = 0, median = 0, ci95_low = 0, ci95_high = 0;
};

// Empty input gives zeros; one value gives an interval of width 0.
RepeatSummary summarize(std::span<const double> values);
// Within -t and t lies so much (0 < central < 1) of Student's distribution with `degrees` of freedom; 0 degrees: 0.
double t_quantile(double central, unsigned degrees);
inline double t_quantile_975(unsigned degrees) { return t_quantile(0.95, degrees); }

}  // namespace fathom::stats
