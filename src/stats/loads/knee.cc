// Finds the load with the highest power, and the loads that are not significantly worse.
#include "stats/loads/knee.h"

#include <algorithm>
#include <cmath>

#include "stats/comparison/student.h"

namespace fathom::stats::loads {
namespace {

constexpr double kConfidence = 0.95;

double mean_log_power(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

struct Scatter {
  double deviation = 0, degrees = 0;
};

Scatter scatter_of(std::span<const LoadPower> points) {
  double squares = 0, degrees = 0;
  for (const auto& point : points) {
    const double mean = mean_log_power(point.log_power);
    for (const double value : point.log_power) squares += (value - mean) * (value - mean);
    degrees += static_cast<double>(point.log_power.size() - 1);
  }
  return {degrees > 0 ? std::sqrt(squares / degrees) : 0, degrees};
}

}  // namespace

Knee knee_of(std::span<const LoadPower> points) {
  Knee knee;
  if (points.empty()) return knee;
  std::vector<double> means;
  for (const auto& point : points) means.push_back(mean_log_power(point.log_power));
  knee.at = static_cast<std::size_t>(std::max_element(means.begin(), means.end()) - means.begin());
  knee.scatter_known = scatter_of(points).degrees > 0;
  const auto as_good = [&](std::size_t i) {
    const auto [low, high] = std::minmax(i, knee.at);
    const Scatter scatter = scatter_of(points.subspan(low, high - low + 1));
    if (scatter.degrees <= 0) return false;
    const auto n = [&](std::size_t point) { return static_cast<double>(points[point].log_power.size()); };
    const double t = comparison::student_quantile(kConfidence, scatter.degrees);
    return means[knee.at] - means[i] <= t * scatter.deviation * std::sqrt(1 / n(i) + 1 / n(knee.at));
  };
  std::size_t first = knee.at, last = knee.at;
  while (first > 0 && as_good(first - 1)) --first;
  while (last + 1 < points.size() && as_good(last + 1)) ++last;
  knee.open_below = first == 0, knee.open_above = last + 1 == points.size();
  knee.low = points[knee.open_below ? 0 : first - 1].load;
  knee.high = points[knee.open_above ? last : last + 1].load;
  knee.seen = points.size() < 3 || knee.at + 1 == points.size() ? Knee::Seen::at_highest
              : knee.at == 0                                    ? Knee::Seen::at_lowest
                                                                : Knee::Seen::yes;
  if (knee.at == 0 && points.size() > 1) knee.seen = Knee::Seen::at_lowest;
  return knee;
}

}  // namespace fathom::stats::loads
