// Accesses per second with a confidence interval. Points of one run's series are not independent, because reclaim comes
// in waves. Their own deviation would give too narrow an interval. This uses the method of batch means (A. M. Law,
// Simulation Modeling and Analysis, ch. 9): it averages the points in batches and takes the batches as the sample.
// There are at least ten batches. It chooses the shortest batches with no significant correlation between neighbors
// (below 2 / sqrt(n)). The remaining correlation r widens the interval by sqrt((1 + r) / (1 - r)), as for a first-order
// process. If r is still significant, `how` says so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "audit/paging/paging_checks.h"
#include "stats/repeat.h"

namespace fathom::audit::paging {
namespace {

constexpr std::size_t kFewestBatches = 10;
constexpr double kConfidence = 0.95;
constexpr double kMostCorrelation = 0.9;  // the most that ten batches can show

struct Interval {
  double accesses = 0, s = 0;
};

std::vector<double> batch_rates(const std::vector<Interval>& points, std::size_t length) {
  std::vector<double> rates;
  for (std::size_t i = 0; i + length <= points.size(); i += length) {
    Interval sum;
    for (std::size_t j = i; j < i + length; ++j) sum.accesses += points[j].accesses, sum.s += points[j].s;
    rates.push_back(sum.accesses / sum.s);
  }
  return rates;
}

double neighbours_correlation(const std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double both = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
    if (i > 0) both += (values[i] - mean) * (values[i - 1] - mean);
  }
  return squares > 0 ? both / squares : 0;
}

// Full intervals only: the last one may have been cut short.
std::vector<Interval> intervals(const result::Paging& paging) {
  std::vector<Interval> points;
  std::uint64_t longest_ms = 0;
  for (const auto& p : paging.series) longest_ms = std::max(longest_ms, p.interval_ms);
  for (const auto& p : paging.series)
    if (2 * p.interval_ms > longest_ms)
      points.push_back({static_cast<double>(p.accesses), static_cast<double>(p.interval_ms) * 1e-3});
  return points;
}

double whole_rate(const result::Paging& paging) {
  double accesses = 0;
  for (const auto& w : paging.workers)
    for (const auto n : w.accesses) accesses += static_cast<double>(n);
  return paging.window_ns == 0 ? 0 : accesses * 1e9 / static_cast<double>(paging.window_ns);
}

std::string batch_text(std::size_t n, double batch_s, double correlation, bool settled) {
  auto text = fmt::format("{} intervals of {:.3g} s", n, batch_s);
  if (!settled)
    text += fmt::format(", which are still correlated (correlation {:.2f}): a longer run gives a better estimate",
                        correlation);
  return text;
}

}  // namespace

result::PagingScore paging_score(const result::Paging& paging) {
  result::PagingScore score;
  score.accesses_per_s = score.low = score.high = whole_rate(paging);
  const auto points = intervals(paging);
  if (points.size() < kFewestBatches) {
    score.how = fmt::format("{} intervals: too few for a confidence interval", points.size());
    return score;
  }
  std::vector<double> rates;
  std::size_t length = 0;
  double correlation = 1;
  bool settled = false;
  do {
    ++length;
    rates = batch_rates(points, length);
    correlation = neighbours_correlation(rates);
    settled = correlation < 2 / std::sqrt(static_cast<double>(rates.size()));
  } while (!settled && points.size() / (length + 1) >= kFewestBatches);
  const double left = std::clamp(correlation + 1 / static_cast<double>(rates.size()), 0.0, kMostCorrelation);
  const double half = stats::half_interval_of_mean(rates) * std::sqrt((1 + left) / (1 - left));
  score.low = std::max(0.0, score.accesses_per_s - half);
  score.high = score.accesses_per_s + half;
  score.confidence = kConfidence;
  double total_s = 0;
  for (const auto& p : points) total_s += p.s;
  score.how = batch_text(rates.size(), total_s / static_cast<double>(points.size()) * static_cast<double>(length),
                         correlation, settled);
  return score;
}

result::PagingScore paging_score(std::span<const result::Paging> repetitions) {
  if (repetitions.size() == 1) return paging_score(repetitions.front());
  std::vector<double> rates;
  for (const auto& paging : repetitions) rates.push_back(whole_rate(paging));
  const auto summary = stats::summarize(rates);
  result::PagingScore score;
  score.accesses_per_s = summary.mean;
  score.low = summary.ci95_low;
  score.high = summary.ci95_high;
  score.confidence = rates.size() < stats::kFewestForInterval ? 0 : kConfidence;
  score.how = fmt::format("{} repetitions", rates.size());
  return score;
}

}  // namespace fathom::audit::paging
