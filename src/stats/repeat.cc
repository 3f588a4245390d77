// Computes Student's quantile from its distribution function. For whole degrees of freedom, the function is a finite
// sum (Abramowitz and Stegun 26.7.3, 26.7.4). Bisection inverts it to double precision. A table would have an end.
#include "stats/repeat.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

namespace fathom::stats {
namespace {

// P(-t < T < t) for this number of degrees of freedom.
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

std::pair<double, double> mean_and_deviation(std::span<const double> values) {
  const double count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (double v : values) mean += v / count;
  for (double v : values) squares += (v - mean) * (v - mean);
  return {mean, values.size() < 2 ? 0.0 : std::sqrt(squares / (count - 1))};
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

double t_quantile(double central, unsigned degrees) {
  constexpr unsigned kMany = 100'000;  // above it the normal limit; t(100,000) exceeds it by 2.4e-5 at 95 %
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

double half_interval_of_mean(std::span<const double> values) {
  const auto [mean, stddev] = mean_and_deviation(values);
  if (values.size() < 2) return 0;
  return t_quantile_975(static_cast<unsigned>(values.size() - 1)) * stddev /
         std::sqrt(static_cast<double>(values.size()));
}

RepeatSummary summarize_differences(std::span<const double> values) {
  RepeatSummary summary;
  if (values.empty()) return summary;
  std::tie(summary.mean, summary.stddev) = mean_and_deviation(values);
  summary.median = median_of({values.begin(), values.end()});
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const bool interval = values.size() >= kFewestForInterval && *least < *most;
  const double half = half_interval_of_mean(values);
  summary.ci95_low = interval ? summary.mean - half : *least;
  summary.ci95_high = interval ? summary.mean + half : *most;
  return summary;
}

RepeatSummary summarize(std::span<const double> values) {
  auto summary = summarize_differences(values);
  if (values.size() < kFewestForInterval || summary.stddev == 0) return summary;
  const double least = *std::min_element(values.begin(), values.end());
  if (least > 0) {
    std::vector<double> logs(values.begin(), values.end());
    for (double& v : logs) v = std::log(v);
    const double middle = mean_and_deviation(logs).first, half = half_interval_of_mean(logs);
    summary.ci95_low = std::exp(middle - half);
    summary.ci95_high = std::exp(middle + half);
  } else if (least == 0) {
    summary.ci95_low = std::max(0.0, summary.ci95_low);
  }
  return summary;
}

}  // namespace fathom::stats
