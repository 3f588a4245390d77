// Sums of squares are computed around means, because logarithms of similar values differ only in their last digits.
#include "stats/comparison/effect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stats/comparison/student.h"
#include "stats/repeat.h"

namespace fathom::stats::comparison {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double products(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs(values.begin(), values.end());
  for (double& v : logs) v = std::log(v);
  return logs;
}

// With fewer than two values the spread is unknown, so `least` is returned.
double variance_of(std::span<const double> logs, double least) {
  if (logs.size() < 2) return least;
  return std::max(products(logs, logs) / static_cast<double>(logs.size() - 1), least);
}

Estimate welch(double difference, double variance_a, std::size_t n_a, double variance_b, std::size_t n_b) {
  Estimate out{difference, 0, 0};
  if (n_a < 2 || n_b < 2) return out;
  const double a = variance_a / static_cast<double>(n_a), b = variance_b / static_cast<double>(n_b);
  out.error = std::sqrt(a + b);
  const double spread = a * a / static_cast<double>(n_a - 1) + b * b / static_cast<double>(n_b - 1);
  out.degrees = spread > 0 ? (a + b) * (a + b) / spread : static_cast<double>(n_a + n_b - 2);
  return out;
}

struct Line {
  Estimate estimate;
  double slope = 0;
};

// Fits one common slope to the runs of both sides.
Line at_one_place(std::span<const double> logs_a, std::span<const double> places_a, std::span<const double> logs_b,
                  std::span<const double> places_b, double least_variance) {
  const double across = products(places_a, places_a) + products(places_b, places_b);
  const std::size_t n = logs_a.size() + logs_b.size();
  Line out;
  if (!(across > 0) || n < 4 || places_a.size() != logs_a.size() || places_b.size() != logs_b.size()) return out;
  out.slope = (products(places_a, logs_a) + products(places_b, logs_b)) / across;
  const double squares = products(logs_a, logs_a) + products(logs_b, logs_b) - out.slope * out.slope * across;
  out.estimate.degrees = static_cast<double>(n - 3);
  const double variance = std::max(squares / out.estimate.degrees, least_variance);
  const double apart = mean_of(places_b) - mean_of(places_a);
  out.estimate.difference = mean_of(logs_b) - mean_of(logs_a) - out.slope * apart;
  out.estimate.error = std::sqrt(variance * (1 / static_cast<double>(logs_a.size()) +
                                             1 / static_cast<double>(logs_b.size()) + apart * apart / across));
  return out;
}

Interval around(const Estimate& estimate, double confidence) {
  constexpr double kAll = std::numeric_limits<double>::infinity();
  if (!(estimate.degrees > 0)) return {-kAll, kAll};
  const double half = student_quantile(confidence, estimate.degrees) * estimate.error;
  return {estimate.difference - half, estimate.difference + half};
}

}  // namespace

double Estimate::t() const {
  if (error > 0) return difference / error;
  return difference == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), difference);
}
double Estimate::p() const { return two_sided_p(t(), degrees); }

bool in_turn(std::span<const double> places_a, std::span<const double> places_b) {
  const double farthest = static_cast<double>(places_a.size() + places_b.size()) / 2;
  return std::fabs(mean_of(places_b) - mean_of(places_a)) <= kInTurn * farthest;
}

Effect effect_of(const Runs& a, const Runs& b, double resolution) {
  Effect out;
  out.fewest = std::min(a.values.size(), b.values.size());
  out.resolution = std::log1p(std::max(resolution, 0.0));
  const double least = out.resolution * out.resolution / 12;
  const auto logs_a = logarithms(a.values), logs_b = logarithms(b.values);
  const double variance_a = variance_of(logs_a, least), variance_b = variance_of(logs_b, least);
  out.deviation_a = std::sqrt(variance_a), out.deviation_b = std::sqrt(variance_b);
  out.plain = welch(mean_of(logs_b) - mean_of(logs_a), variance_a, logs_a.size(), variance_b, logs_b.size());
  out.in_turn = in_turn(a.places, b.places);
  const auto line = at_one_place(logs_a, a.places, logs_b, b.places, least);
  out.at_one_place = line.estimate, out.trend = line.slope;
  return out;
}

Interval interval_of(const Effect& effect, double confidence) {
  const auto plain = around(effect.plain, confidence);
  if (effect.in_turn) return plain;
  const auto other = around(effect.at_one_place, confidence);
  return {std::min(plain.low, other.low), std::max(plain.high, other.high)};
}

double p_of(const Effect& effect) {
  if (effect.in_turn) return effect.plain.p();
  if (effect.plain.difference * effect.at_one_place.difference < 0) return 1;
  return std::max(effect.plain.p(), effect.at_one_place.p());
}

std::vector<Corrected> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<Corrected> out(p.size());
  double reached = 0, left = static_cast<double>(p.size()), step = left;
  for (const auto at : order) {
    reached = std::max(reached, std::min(1.0, p[at] * left));
    out[at] = {reached, 1 - (1 - kConfidence) / step};
    left -= 1;
    if (reached <= 1 - kConfidence) step = left;  // after the first inconclusive value, all others use the same step
  }
  return out;
}

Told told_by(const Effect& effect, const Interval& interval, double margin) {
  if (effect.fewest < kFewestForInterval) return Told::too_few;
  const double within = std::log1p(margin);
  if (interval.low >= -within && interval.high <= within)
    return effect.resolution <= within ? Told::within_margin : Told::too_fine;
  if (interval.low <= 0 && interval.high >= 0) return Told::not_yet;
  constexpr double kRounding = 1e-9;  // two adjacent buckets are one step apart
  if (std::fabs(effect.plain.difference) <= effect.resolution * (1 + kRounding)) return Told::too_fine;
  return effect.plain.difference > 0 ? Told::more : Told::less;
}

unsigned runs_needed(const Effect& effect, double margin, double confidence) {
  const double size = std::fabs(effect.plain.difference), within = std::log1p(margin);
  const double variance_a = effect.deviation_a * effect.deviation_a,
               variance_b = effect.deviation_b * effect.deviation_b;
  // False for each n below some value, and true from there on.
  const auto tells = [&](unsigned n) {
    const auto estimate = welch(size, variance_a, n, variance_b, n);
    const double half = student_quantile(confidence, estimate.degrees) * estimate.error;
    const bool differs = size > half && size > effect.resolution && size + half > within;
    return differs || (size + half <= within && effect.resolution <= within);
  };
  if (!tells(kMostNeeded)) return 0;
  unsigned low = kFewestForInterval - 1, high = kMostNeeded;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (tells(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace fathom::stats::comparison
