// Student's quantile from its distribution function, whose form for whole degrees of freedom is a finite sum
// (Abramowitz and Stegun 26.7.3, 26.7.4); bisection then inverts it to double precision. No table, so no end of a
// table.
#include "stats/repeat.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::stats {
namespace {

// P(-t < T < t) for `degrees` of freedom.
double central_probability(double t, unsigned degrees) {
  const double theta = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double sine = std::sin(theta), cosine_squared = std::cos(theta) * std::cos(theta);
  const bool odd = degrees % 2 == 1;
  double term = odd ? std::cos(theta) : 1.0;
  double sum = degrees == 1 ? 0.0 : term;
  for (unsigned i = odd ? 3 : 2; i + 2 <= degrees; i += 2) {
    term *= cosine_squared * static_cast<double>(i - 1) / static_cast<double>(i);
    sum += term;
  }
  return odd ? 2.0 / std::numbers::pi * (theta + sine * sum) : sine * sum;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

double t_quantile(double central, unsigned degrees) {
  constexpr unsigned kMany = 100'000;  // the normal limit; t(100,000) lies 2.4e-5 above it at 95 %
  if (degrees == 0) return 0.0;
  const auto within = [&](double t) {
    return degrees > kMany ? std::erf(t / std::numbers::sqrt2) : central_probability(t, degrees);
  };
  double low = 0, high = 13;  // t(1) = 12.706 at 95 %
  while (within(high) < central) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (within(middle) < central ? low : high) = middle;
  }
  return (low + high) / 2;
}

RepeatSummary summarize(std::span<const double> values) {
  RepeatSummary summary;
  if (values.empty()) return summary;
  const double count = static_cast<double>(values.size());
  for (double v : values) summary.mean += v / count;
  double squares = 0;
  for (double v : values) squares += (v - summary.mean) * (v - summary.mean);
  summary.median = median_of({values.begin(), values.end()});
  summary.stddev = values.size() < 2 ? 0.0 : std::sqrt(squares / (count - 1));
  const double half =
      values.size() < 2 ? 0.0
                        : t_quantile_975(static_cast<unsigned>(values.size() - 1)) * summary.stddev / std::sqrt(count);
  summary.ci95_low = summary.mean - half;
  summary.ci95_high = summary.mean + half;
  return summary;
}

}  // namespace fathom::stats
