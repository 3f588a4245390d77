// Within a bucket of the histogram, 1/64 of its value wide, ranks are taken to rise evenly.
#include "stats/latency_bands.h"

#include <algorithm>

namespace fathom::stats {
namespace {

// How much of each band's ranks lies between two ranks.
Banded overlap(double from, double to) {
  Banded out{};
  for (std::size_t b = 0; b < kBands; ++b)
    out[b] = std::max(0.0, std::min(to, kBandEdges[b + 1]) - std::max(from, kBandEdges[b]));
  return out;
}

std::size_t band_of(double rank) {
  std::size_t b = 0;
  while (b + 1 < kBands && rank >= kBandEdges[b + 1]) ++b;
  return b;
}

}  // namespace

LatencyBands::LatencyBands(const Histogram& all) {
  const auto total = static_cast<double>(all.total());
  std::uint64_t before = 0;
  double time = 0;
  for (const auto& bin : all.bins()) {
    const auto begin = static_cast<double>(bucket_begin(bin.bucket)), end = static_cast<double>(bucket_end(bin.bucket));
    steps_.push_back({begin, std::max(end, begin + 1), static_cast<double>(before) / total,
                      static_cast<double>(before + bin.count) / total});
    before += bin.count;
    const auto bands = overlap(steps_.back().from, steps_.back().to);
    const auto value = static_cast<double>(bucket_value(bin.bucket));
    for (std::size_t b = 0; b < kBands; ++b) {
      time_[b] += bands[b] * value;
      time += bands[b] * value;
    }
  }
  for (auto& share : time_) share = time > 0 ? share / time : 0;
}

double LatencyBands::rank_at(double ns) const {
  const auto at =
      std::lower_bound(steps_.begin(), steps_.end(), ns, [](const Step& s, double value) { return s.to_ns < value; });
  if (at == steps_.end()) return 1;
  if (ns <= at->from_ns) return at->from;
  return at->from + (at->to - at->from) * (ns - at->from_ns) / (at->to_ns - at->from_ns);
}

Banded LatencyBands::shares(double from_ns, double to_ns) const {
  Banded out{};
  if (steps_.empty()) {
    out[0] = 1;
    return out;
  }
  const double from = rank_at(from_ns), to = rank_at(to_ns);
  if (to <= from) {
    out[band_of(from)] = 1;
    return out;
  }
  out = overlap(from, to);
  for (auto& share : out) share /= to - from;
  return out;
}

double LatencyBands::edge_ns(std::size_t band) const {
  if (steps_.empty()) return 0;
  const double rank = kBandEdges[band];
  const auto at =
      std::lower_bound(steps_.begin(), steps_.end(), rank, [](const Step& s, double value) { return s.to < value; });
  if (at == steps_.end()) return steps_.back().to_ns;
  return at->from_ns + (at->to_ns - at->from_ns) * std::max(0.0, rank - at->from) / (at->to - at->from);
}

}  // namespace fathom::stats
