// Keeps the looks of the last second. The current one is compared with the oldest.
#include "paging/lately.h"

#include <algorithm>
#include <functional>

#include "stats/percentiles.h"

namespace fathom::paging {
namespace {

void add_counts(std::span<const sources::ThreadRecord> threads,
                std::array<std::uint64_t, sources::AccessCounts::kCounts>& counts) {
  for (const auto& thread : threads)
    for (const auto& of_class : thread.histograms)
      for (const auto& histogram : of_class)
        for (std::size_t i = 0; i < counts.size(); ++i)
          counts[i] += static_cast<const volatile std::uint64_t&>(histogram.raw.counts[i]);
}

}  // namespace

ThreadTotals live_totals(std::span<const sources::ThreadRecord> threads) {
  ThreadTotals sum;
  for (const auto& thread : threads) {
    const auto& live = thread.head.live;
    sum.accesses += live.accesses.load(std::memory_order_relaxed);
    sum.minor += live.minor.load(std::memory_order_relaxed);
    sum.major += live.major.load(std::memory_order_relaxed);
  }
  return sum;
}

void Lately::begin(std::uint64_t now_ns, const ThreadTotals& totals) {
  seen_.clear();
  seen_.push_back({now_ns, totals, {}});
}

OfLate Lately::look(std::uint64_t now_ns, const ThreadTotals& totals, std::span<const sources::ThreadRecord> threads) {
  seen_.push_back({now_ns, totals, {}});
  add_counts(threads, seen_.back().counts);
  while (seen_.size() > 2 && seen_[1].at_ns + kSecond_ns <= now_ns) seen_.pop_front();
  const Seen &then = seen_.front(), &now = seen_.back();
  const double s = static_cast<double>(now.at_ns - then.at_ns) * 1e-9;
  OfLate late;
  if (s <= 0) return late;
  late.accesses_per_s = static_cast<double>(now.totals.accesses - then.totals.accesses) / s;
  late.minor_per_s = static_cast<double>(now.totals.minor - then.totals.minor) / s;
  late.major_per_s = static_cast<double>(now.totals.major - then.totals.major) / s;
  Counts counts;
  std::transform(now.counts.begin(), now.counts.end(), then.counts.begin(), counts.begin(), std::minus<>());
  const stats::Histogram counted{std::span<const std::uint64_t>(counts)};
  late.n = counted.total();
  if (late.n > 0) late.ns_p50 = stats::percentile_within(counted, {}, 50);
  if (late.n >= kFewestForP99) late.ns_p99 = stats::percentile_within(counted, {}, 99);
  if (late.n >= kFewestForP999) late.ns_p999 = stats::percentile_within(counted, {}, 99.9);
  return late;
}

}  // namespace fathom::paging
