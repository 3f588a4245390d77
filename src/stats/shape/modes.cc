// Joins buckets to bins of equal width on the logarithmic axis. Small latencies are whole nanoseconds, so a bin there
// may contain no bucket.
#include "stats/shape/modes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom::stats::shape {
namespace {

constexpr std::size_t kBinsAnOctave = 4;
using Bins = std::array<double, 64 * kBinsAnOctave>;

std::size_t bin_of(std::uint64_t ns) {
  return static_cast<std::size_t>(kBinsAnOctave * std::log2(static_cast<double>(std::max<std::uint64_t>(ns, 1))));
}

Histogram side(const Histogram& all, std::size_t split, bool low) {
  std::vector<Histogram::Bin> bins;
  for (const auto& bin : all.bins())
    if ((bin_of(bucket_value(bin.bucket)) < split) == low) bins.push_back(bin);
  return Histogram::of_bins(std::move(bins));
}

}  // namespace

std::optional<Modes> two_modes(const Histogram& histogram) {
  if (histogram.total() < kFewestOfModes) return std::nullopt;
  Bins bins{};
  for (const auto& bin : histogram.bins()) bins[bin_of(bucket_value(bin.bucket))] += static_cast<double>(bin.count);
  const auto total = static_cast<double>(histogram.total());
  std::size_t split = 0;
  double deepest = kMostInValley, below = 0;
  for (std::size_t i = 1; i + 1 < bins.size(); ++i) {
    below += bins[i - 1];
    if (below < kLeastShare * total || total - below - bins[i] < kLeastShare * total) continue;
    const double lower_peak = std::min(*std::max_element(bins.begin(), bins.begin() + i),
                                       *std::max_element(bins.begin() + i + 1, bins.end()));
    if (bins[i] < deepest * lower_peak) deepest = bins[i] / lower_peak, split = i;
  }
  if (split == 0) return std::nullopt;
  const auto low = side(histogram, split, true), high = side(histogram, split, false);
  const Modes modes{static_cast<double>(low.total()) / total, low.percentile(50), high.percentile(50)};
  const bool apart =
      static_cast<double>(modes.high_ns) >= kLeastRatio * static_cast<double>(std::max<std::uint64_t>(modes.low_ns, 1));
  return apart ? std::optional(modes) : std::nullopt;
}

}  // namespace fathom::stats::shape
