// Within a histogram bucket, which is 1/64 of its value wide, ranks are assumed to rise evenly. Some histograms are
// shifted, so buckets of several histograms overlap. All their edges together are the edges of the steps.
#include "stats/latency_bands.h"

#include <algorithm>
#include <utility>

namespace fathom::stats {
namespace {

// The share of each band's ranks between two ranks.
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

struct Bucket {
  double from_ns, to_ns, ios;
};

void add_buckets(const Latencies& some, std::vector<Bucket>& to) {
  for (const auto& bin : some.histogram.bins()) {
    const double begin = std::max(0.0, static_cast<double>(bucket_begin(bin.bucket)) - some.less_ns);
    const auto next = bucket_end(bin.bucket);  // 0 for the last possible bucket
    const double end = (next == 0 ? 0x1p64 : static_cast<double>(next)) - some.less_ns;
    to.push_back({begin, std::max(end, begin + 1), static_cast<double>(bin.count)});
  }
}

// The I/Os between each two adjacent edges, without empty steps.
std::vector<Bucket> steps_between(const std::vector<double>& edges, const std::vector<Bucket>& buckets) {
  std::vector<Bucket> steps;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) steps.push_back({edges[i], edges[i + 1], 0});
  for (const auto& bucket : buckets) {
    const auto first = std::lower_bound(edges.begin(), edges.end(), bucket.from_ns) - edges.begin();
    for (auto i = static_cast<std::size_t>(first); i < steps.size() && steps[i].from_ns < bucket.to_ns; ++i)
      steps[i].ios += bucket.ios * (steps[i].to_ns - steps[i].from_ns) / (bucket.to_ns - bucket.from_ns);
  }
  std::erase_if(steps, [](const Bucket& step) { return step.ios <= 0; });
  return steps;
}

}  // namespace

LatencyBands::LatencyBands(std::initializer_list<Latencies> all) {
  std::vector<Bucket> buckets;
  for (const auto& some : all) add_buckets(some, buckets);
  std::vector<double> edges;
  double total = 0;
  for (const auto& bucket : buckets) {
    edges.insert(edges.end(), {bucket.from_ns, bucket.to_ns});
    total += bucket.ios;
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  double before = 0, time = 0;
  for (const auto& [from_ns, to_ns, ios] : steps_between(edges, buckets)) {
    steps_.push_back({from_ns, to_ns, before / total, std::min(1.0, (before + ios) / total)});
    before += ios;
    const auto bands = overlap(steps_.back().from, steps_.back().to);
    for (std::size_t b = 0; b < kBands; ++b) {
      time_[b] += bands[b] * (from_ns + to_ns) / 2;
      time += bands[b] * (from_ns + to_ns) / 2;
    }
  }
  for (auto& share : time_) share = time > 0 ? share / time : 0;
  // A band with less than half an I/O counts as empty. Its time is added to the band below, which has the rest of that
  // I/O.
  for (std::size_t b = kBands - 1; b > 0; --b)
    if ((kBandEdges[b + 1] - kBandEdges[b]) * total < 0.5) time_[b - 1] += std::exchange(time_[b], 0);
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

double LatencyBands::at_rank(double rank) const {
  if (steps_.empty()) return 0;
  const auto at =
      std::lower_bound(steps_.begin(), steps_.end(), rank, [](const Step& s, double value) { return s.to < value; });
  if (at == steps_.end()) return steps_.back().to_ns;
  return at->from_ns + (at->to_ns - at->from_ns) * std::max(0.0, rank - at->from) / (at->to - at->from);
}

}  // namespace fathom::stats
