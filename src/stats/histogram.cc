// The part of the histogram outside the hot path: collecting, merging, percentiles.
#include "stats/histogram.h"

#include <cmath>

namespace fathom::stats {

Histogram::Histogram(std::span<const std::uint64_t> counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    bins_.push_back({static_cast<std::uint32_t>(i), counts[i]});
    total_ += counts[i];
  }
}

Histogram Histogram::of_samples(std::span<const std::uint64_t> ns) {
  Histogram h;
  for (auto v : ns) h.add(v);
  return h;
}

Histogram Histogram::of_bins(std::vector<Bin> bins) {
  Histogram h;
  h.bins_ = std::move(bins);
  for (const auto& bin : h.bins_) h.total_ += bin.count;
  return h;
}

void Histogram::add(std::uint64_t ns, std::uint64_t count) {
  const auto bucket = static_cast<std::uint32_t>(bucket_of(ns));
  auto at =
      std::lower_bound(bins_.begin(), bins_.end(), bucket, [](const Bin& b, std::uint32_t v) { return b.bucket < v; });
  if (at != bins_.end() && at->bucket == bucket)
    at->count += count;
  else
    bins_.insert(at, {bucket, count});
  total_ += count;
}

void Histogram::merge(const Histogram& other) {
  std::vector<Bin> merged;
  merged.reserve(bins_.size() + other.bins_.size());
  auto a = bins_.begin();
  auto b = other.bins_.begin();
  while (a != bins_.end() || b != other.bins_.end()) {
    if (b == other.bins_.end() || (a != bins_.end() && a->bucket < b->bucket)) {
      merged.push_back(*a++);
    } else if (a == bins_.end() || b->bucket < a->bucket) {
      merged.push_back(*b++);
    } else {
      merged.push_back({a->bucket, a->count + b->count});
      ++a;
      ++b;
    }
  }
  bins_ = std::move(merged);
  total_ += other.total_;
}

std::uint64_t Histogram::count_up_to(std::uint64_t limit_ns) const {
  std::uint64_t count = 0;
  for (const auto& bin : bins_) {
    if (bucket_value(bin.bucket) > limit_ns) break;
    count += bin.count;
  }
  return count;
}

std::uint64_t Histogram::percentile(double p) const { return percentiles({&p, 1})[0]; }

std::vector<std::uint64_t> Histogram::percentiles(std::span<const double> rising_ps) const {
  std::vector<std::uint64_t> out(rising_ps.size(), 0);
  if (bins_.empty()) return out;
  std::size_t at = 0;
  std::uint64_t running = bins_[0].count;
  for (std::size_t i = 0; i < rising_ps.size(); ++i) {
    // The epsilon keeps 99.9 % of 1000 at rank 999: 0.999 * 1000 is slightly above 999 in binary.
    const double rank = std::ceil(rising_ps[i] / 100.0 * static_cast<double>(total_) * (1.0 - 1e-15));
    const auto wanted =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(rank, static_cast<double>(total_))));
    while (running < wanted && at + 1 < bins_.size()) running += bins_[++at].count;
    out[i] = bucket_value(bins_[at].bucket);
  }
  return out;
}

}  // namespace fathom::stats
