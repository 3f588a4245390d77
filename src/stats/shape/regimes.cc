// The division into parts is exact: dynamic programming over all edges, in n^2 steps. A result's series has some
// hundred points.
#include "stats/shape/regimes.h"

#include <algorithm>
#include <cmath>

namespace fathom::stats::shape {
namespace {

constexpr double kLeastNoise = 0.02;  // share of a level: simulated series have no noise
constexpr double kPriceOfAPart = 12;  // factor of the noise's variance and ln n
constexpr double kSmallest = 1e-3;    // share of the median: a stalled interval has no logarithm
constexpr double kMadToDeviation = 1.4826;
constexpr double kFarOut = 8;      // deviations from the median
constexpr std::size_t kReach = 2;  // of the running median, on each side

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}
double median_of(std::span<const double> values) {
  return median_of(std::vector<double>(values.begin(), values.end()));
}

// Widens a margin, because the deviation of few values is uncertain.
double margin_of(std::size_t n) { return 1 + 20 / static_cast<double>(n); }

std::vector<double> logarithms(std::span<const double> values, double median) {
  std::vector<double> out;
  for (const double value : values) out.push_back(std::log(std::max(value, kSmallest * median)));
  return out;
}

std::vector<double> running_median(const std::vector<double>& values) {
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t reach = std::min({kReach, i, values.size() - 1 - i});
    out.push_back(median_of(std::span(values).subspan(i - reach, 2 * reach + 1)));
  }
  return out;
}

// The noise of a value around its level, from differences of adjacent values.
double noise_of(const std::vector<double>& values) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < values.size(); ++i) steps.push_back(std::abs(values[i] - values[i - 1]));
  return std::max(kLeastNoise, kMadToDeviation * median_of(std::move(steps)) / std::sqrt(2.0));
}

class Squares {
 public:
  explicit Squares(const std::vector<double>& values) : sum_{0}, squares_{0} {
    for (const double value : values) {
      sum_.push_back(sum_.back() + value);
      squares_.push_back(squares_.back() + value * value);
    }
  }
  // The sum of squared distances from the mean.
  double of(std::size_t begin, std::size_t end) const {
    const double sum = sum_[end] - sum_[begin];
    return squares_[end] - squares_[begin] - sum * sum / static_cast<double>(end - begin);
  }

 private:
  std::vector<double> sum_, squares_;
};

// The beginnings of the parts with the lowest total cost, in order; the first is 0.
std::vector<std::size_t> cheapest_parts(const std::vector<double>& values, double price) {
  const std::size_t n = values.size();
  const Squares squares(values);
  std::vector<double> cost(n + 1, HUGE_VAL);
  std::vector<std::size_t> from(n + 1, 0);
  cost[0] = 0;
  for (std::size_t end = kFewestOfAPart; end <= n; ++end)
    for (std::size_t begin = 0; begin + kFewestOfAPart <= end; ++begin) {
      const double all = cost[begin] + squares.of(begin, end) + price;
      if (all < cost[end]) cost[end] = all, from[end] = begin;
    }
  std::vector<std::size_t> begins;
  for (std::size_t end = n; end > 0; end = from[end]) begins.push_back(from[end]);
  std::reverse(begins.begin(), begins.end());
  return begins;
}

// The share of pairs, one value from each side, in the same order as the sides' medians.
double apart(std::span<const double> before, std::span<const double> after, bool rises) {
  double in_order = 0;
  for (const double a : before)
    for (const double b : after) in_order += a == b ? 0.5 : (b > a) == rises ? 1 : 0;
  return in_order / (static_cast<double>(before.size()) * static_cast<double>(after.size()));
}

// 0: no edge. A significant edge has 1 or more.
double weight(std::span<const double> smooth, const Regime& before, const Regime& after) {
  const double low = std::min(before.median, after.median), high = std::max(before.median, after.median);
  const auto of = [&](const Regime& part) { return smooth.subspan(part.begin, part.end - part.begin); };
  if (high < kLeastChange * low || high <= 0) return 0;
  return apart(of(before), of(after), after.median > before.median) / kLeastApart;
}

}  // namespace

std::vector<Regime> regimes(std::span<const double> values) {
  const double median = median_of(values);
  if (values.size() < kFewestToJudge || median <= 0) return {{0, values.size(), median}};
  const auto logs = logarithms(values, median);
  const double noise = noise_of(logs);
  const auto smooth = running_median(logs);
  auto begins = cheapest_parts(
      smooth, kPriceOfAPart * margin_of(values.size()) * noise * noise * std::log(static_cast<double>(values.size())));
  for (;;) {
    std::vector<Regime> parts;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : values.size();
      parts.push_back({begins[i], end, median_of(values.subspan(begins[i], end - begins[i]))});
    }
    std::size_t weakest = 0;
    double least = 1;
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (const double w = weight(smooth, parts[i - 1], parts[i]); w < least) least = w, weakest = i;
    if (weakest == 0) return parts;
    begins.erase(begins.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
}

std::optional<Regime> warm_up(std::span<const double> values) {
  for (std::size_t n = kFewestOfAPart - 1; n > 0; --n) {
    if (3 * n > values.size() || values.size() < kFewestForBegin) continue;
    const auto begin = values.first(n), rest = values.subspan(n);
    const double level = median_of(rest);
    std::vector<double> distances;
    for (const double value : rest) distances.push_back(std::abs(value - level));
    // A distance that noise is unlikely to reach, that no other value has, and that is large enough to matter.
    const double near = std::max({kFarOut * margin_of(rest.size()) * kMadToDeviation * median_of(distances),
                                  (kLeastChange - 1) * level, *std::max_element(distances.begin(), distances.end())});
    double moved = 0;
    for (const double value : begin) moved += std::abs(value - level);
    if (moved < kLeastOfTheMean * level * static_cast<double>(values.size())) continue;
    if (std::all_of(begin.begin(), begin.end(), [&](double value) { return std::abs(value - level) > near; }))
      return Regime{0, n, median_of(begin)};
  }
  return std::nullopt;
}

}  // namespace fathom::stats::shape
