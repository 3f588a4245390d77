// As in stats/ratio.cc: computes the sums once, then the estimate without each group.
#include "stats/banded_ratio.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/repeat.h"

namespace fathom::stats {
namespace {

struct Scatter {
  double half_width = -1;
  static Scatter of(const std::vector<double>& without);
};

// The degrees of freedom follow from the kurtosis of the contributions: n equal contributions have n - 1.
Scatter Scatter::of(const std::vector<double>& without) {
  const auto n = static_cast<double>(without.size());
  if (without.size() < kFewestForInterval) return {};
  double mean = 0;
  for (const double v : without) mean += v / n;
  double squares = 0, fourths = 0;
  for (const double v : without) {
    const double square = (v - mean) * (v - mean);
    squares += square;
    fourths += square * square;
  }
  if (squares <= 0) return {0};
  const double carriers = std::min(n, 3 * squares * squares / fourths);
  const auto degrees = static_cast<unsigned>(std::max(1.0, std::floor(carriers) - 1));
  return {t_quantile_975(degrees) * std::sqrt((n - 1) / n * squares)};
}

}  // namespace

Ratio jackknife_band(std::span<const BandedGroup> groups, std::size_t band) {
  std::vector<RatioGroup> of_band;
  for (const auto& g : groups) of_band.push_back({g.part[band], g.whole[band]});
  return jackknife_ratio(of_band);
}

BandedRatio jackknife_banded(std::span<const BandedGroup> groups, const Banded& weights) {
  BandedGroup all;
  std::size_t seen = 0;
  for (const auto& g : groups) {
    bool any = false;
    for (std::size_t b = 0; b < kBands; ++b) {
      all.part[b] += g.part[b];
      all.whole[b] += g.whole[b];
      any |= g.whole[b] > 0;
    }
    seen += any ? 1 : 0;
  }
  const auto ratio = [&](const BandedGroup& less) {
    double value = 0;
    for (std::size_t b = 0; b < kBands; ++b)
      if (const double whole = all.whole[b] - less.whole[b]; weights[b] > 0 && whole > 0)
        value += weights[b] * (all.part[b] - less.part[b]) / whole;
    return value;
  };
  BandedRatio out;
  out.value = ratio({});
  if (seen == 0 || std::all_of(weights.begin(), weights.end(), [](double w) { return w <= 0; })) return out;
  std::vector<double> without;
  for (const auto& g : groups)
    if (std::any_of(g.whole.begin(), g.whole.end(), [](double ns) { return ns > 0; })) without.push_back(ratio(g));
  out.half_width = Scatter::of(without).half_width;
  return out;
}

}  // namespace fathom::stats
