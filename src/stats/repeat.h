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
// Two-sided 97.5 % quantile of Student's t with `degrees` of freedom.
double t_quantile_975(unsigned degrees);

}  // namespace fathom::stats
