// Split, then merge. Positions are runs of the whole series; a window is a part of it.
#include "stats/changes/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "stats/comparison/student.h"

namespace fathom::stats::changes {
namespace {

using Series = std::span<const double>;

constexpr double kNormal = 1.4826;       // a normal distribution's deviation, relative to its median distance
constexpr double kSameLogarithm = 1e-9;  // rounding

// From the differences of neighbors, which a change of level does not affect.
double deviation_of(Series logs) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < logs.size(); ++i) distances.push_back(std::fabs(logs[i] - logs[i - 1]));
  return kNormal * median_of(distances) / std::sqrt(2.0);
}

// The first and the last value have neighbors on one side only.
bool is_outlier(Series logs, std::size_t i, double limit) {
  const std::size_t first = i > kNeighbors ? i - kNeighbors : 0, last = std::min(logs.size(), i + 1 + kNeighbors);
  const auto is_far = [&](Series neighbors) {
    return neighbors.empty() || std::fabs(logs[i] - median_of(neighbors)) > limit;
  };
  return is_far(logs.subspan(first, i - first)) && is_far(logs.subspan(i + 1, last - i - 1));
}

// The places of the values that are no outliers.
std::vector<std::size_t> kept_places(Series logs) {
  const double limit = kOutlier * deviation_of(logs);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < logs.size(); ++i)
    if (!(limit > 0) || !is_outlier(logs, i, limit)) kept.push_back(i);
  return kept;
}

struct Part {
  double mean = 0, squares = 0;  // of deviations
};
Part part_of(Series values) {
  Part part;
  part.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (const double value : values) part.squares += (value - part.mean) * (value - part.mean);
  return part;
}

// Student's t-test of the values before and after `at`.
ChangePoint tested(Series logs, std::size_t begin, std::size_t at, std::size_t end) {
  ChangePoint point{.begin = begin, .at = at, .end = end};
  const Part a = part_of(logs.subspan(begin, at - begin)), b = part_of(logs.subspan(at, end - at));
  const auto n = static_cast<double>(at - begin), m = static_cast<double>(end - at);
  point.degrees = n + m - 2;
  const double difference = b.mean - a.mean;
  if (!(point.degrees > 0) || std::fabs(difference) < kSameLogarithm) return point;
  const double error = std::sqrt((a.squares + b.squares) / point.degrees * (1 / n + 1 / m));
  point.t = error > 0 ? difference / error : std::copysign(std::numeric_limits<double>::max(), difference);
  const double searched = std::max(1.0, (n + m) / static_cast<double>(kFewestOfAPart));
  point.p = error > 0 ? std::min(1.0, searched * comparison::two_sided_p(point.t, point.degrees)) : 0;
  return point;
}

// Sums of distances: from[k][i] is the sum of |values[k] - values[j]| for j < i.
class Distances {
 public:
  explicit Distances(Series values) : n_(values.size() + 1), sums_(values.size() * n_) {
    for (std::size_t k = 0; k < values.size(); ++k)
      for (std::size_t i = 0; i < values.size(); ++i)
        sums_[k * n_ + i + 1] = sums_[k * n_ + i] + std::fabs(values[k] - values[i]);
  }
  double between(std::size_t k, std::size_t first, std::size_t last) const {
    return sums_[k * n_ + last] - sums_[k * n_ + first];
  }

 private:
  std::size_t n_;
  std::vector<double> sums_;
};

struct Candidate {
  std::size_t begin = 0, at = 0, end = 0;
  double energy = -std::numeric_limits<double>::infinity();
};

// The energy statistic for n values with the sum `a` of the distances between them, m values likewise, and the sum of
// the distances from one to the other.
double energy_of(double n, double a, double m, double b, double across) {
  double energy = 2 / (n + m) * across;
  if (n > 1) energy -= 2 * m / ((n + m) * (n - 1)) * a;
  if (m > 1) energy -= 2 * n / ((n + m) * (m - 1)) * b;
  return energy;
}

// The best split of [begin, end): both parts of it, or the second one cut short, as in Matteson and James. If the level
// changes back, the rest would hide the first change.
Candidate best_split(const Distances& distances, std::size_t begin, std::size_t end) {
  Candidate best{.begin = begin, .at = begin, .end = end};
  double inside_first = 0;
  for (std::size_t at = begin + 1; at < end; ++at) {
    inside_first += distances.between(at - 1, begin, at - 1);
    if (at - begin < kFewestOfAPart || end - at < kFewestOfAPart) continue;
    double inside_second = 0, across = 0;
    for (std::size_t last = at; last < end; ++last) {
      across += distances.between(last, begin, at);
      inside_second += distances.between(last, at, last);
      if (last + 1 - at < kFewestOfAPart) continue;
      const double energy = energy_of(static_cast<double>(at - begin), inside_first, static_cast<double>(last + 1 - at),
                                      inside_second, across);
      if (energy > best.energy) best.at = at, best.end = last + 1, best.energy = energy;
    }
  }
  return best;
}

// The splits of one window: again and again the best of all parts, until it is not significant.
std::vector<std::size_t> splits_of_window(Series logs, double most_p) {
  const Distances distances(logs);
  std::vector<std::size_t> edges{0, logs.size()};
  for (;;) {
    Candidate best;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i)
      if (const auto split = best_split(distances, edges[i], edges[i + 1]); split.energy > best.energy) best = split;
    if (best.at <= best.begin || tested(logs, best.begin, best.at, best.end).p > most_p) break;
    edges.insert(std::upper_bound(edges.begin(), edges.end(), best.at), best.at);
  }
  return {edges.begin() + 1, edges.end() - 1};
}

std::vector<std::size_t> weak_splits(Series logs, double most_p) {
  std::vector<std::size_t> all;
  for (std::size_t start = 0; start < logs.size();) {
    const auto found = splits_of_window(logs.subspan(start, std::min(kWindow, logs.size() - start)), most_p);
    const std::size_t last = found.empty() ? 0 : start + found.back();
    for (const auto at : found) all.push_back(start + at);
    start = std::max(last, start + kWindow / 2);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// A series and its logarithms without outliers.
struct Cleaned {
  Series values;
  std::vector<std::size_t> places;  // of the logarithms in the series
  std::vector<double> logs;
};

std::vector<ChangePoint> tested_all(const Cleaned& series, const std::vector<std::size_t>& splits) {
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : splits[i - 1],
                      end = i + 1 < splits.size() ? splits[i + 1] : series.logs.size();
    auto point = tested(series.logs, begin, splits[i], end);
    point.begin = begin == 0 ? 0 : series.places[begin], point.at = series.places[splits[i]];
    point.end = end < series.logs.size() ? series.places[end] : series.values.size();
    point.before = median_of(series.values.subspan(point.begin, point.at - point.begin));
    point.after = median_of(series.values.subspan(point.at, point.end - point.at));
    points.push_back(point);
  }
  return points;
}

// The split that goes next: the one with the largest p, or the smallest change. nullopt: all stay.
std::optional<std::size_t> weakest(const std::vector<ChangePoint>& points, const Criteria& criteria) {
  if (points.empty()) return std::nullopt;
  const auto by_p =
      std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.p < b.p; });
  if (by_p->p > criteria.most_p) return by_p - points.begin();
  const auto size = [](const ChangePoint& point) { return std::fabs(std::log(point.after / point.before)); };
  const auto smallest =
      std::min_element(points.begin(), points.end(), [&](const auto& a, const auto& b) { return size(a) < size(b); });
  if (std::fabs(smallest->change()) < criteria.least_change) return smallest - points.begin();
  return std::nullopt;
}

}  // namespace

double median_of(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(sorted.begin(), middle)) / 2;
}

std::vector<ChangePoint> change_points(std::span<const double> values, const Criteria& criteria) {
  if (values.size() < kFewestToJudge) return {};
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  Cleaned series{.values = values, .places = kept_places(logs), .logs = {}};
  for (const auto place : series.places) series.logs.push_back(logs[place]);
  auto splits = weak_splits(series.logs, std::min(1.0, criteria.most_p * kWeaker));
  auto points = tested_all(series, splits);
  while (const auto drop = weakest(points, criteria)) {
    splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(*drop));
    points = tested_all(series, splits);
  }
  return points;
}

}  // namespace fathom::stats::changes
