// If a counter falls, it was cleared in between (the ramp ended). Such a pair is dropped.
#include "stats/paired_slices.h"

#include <algorithm>
#include <span>
#include <utility>

#include "stats/histogram.h"
#include "stats/latency_bands.h"

namespace fathom::stats {
namespace {

constexpr std::uint64_t kFewestForMedian = 10;
constexpr double kHardlyAny = 1e-6;  // expected I/Os of a slice after a time without I/Os

// 0: too few latencies.
double p50_between(std::span<const std::uint64_t> from, std::span<const std::uint64_t> to) {
  if (from.size() != to.size() || from.empty()) return 0;
  std::vector<std::uint64_t> more(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] < from[i]) return 0;
    more[i] = to[i] - from[i];
  }
  const Histogram histogram{std::span<const std::uint64_t>(more)};
  return histogram.total() < kFewestForMedian ? 0 : LatencyBands(histogram).at_rank(0.5);
}

double more(std::uint64_t from, std::uint64_t to) { return static_cast<double>(to - from); }

bool rises(const SliceReading& from, const SliceReading& to) {
  return from.ios <= to.ios && from.job_ios <= to.job_ios && from.cpu_ns <= to.cpu_ns && from.ns <= to.ns;
}

}  // namespace

void PairedSlices::at(SliceMoment moment, SliceReading reading) {
  switch (moment) {
    case SliceMoment::unwatched_from:
      unwatched_from_ = std::move(reading);
      return;
    case SliceMoment::unwatched_to:
      unwatched_to_ = std::move(reading);
      return;
    case SliceMoment::watched_from:
      watched_from_ = std::move(reading);
      return;
    case SliceMoment::watched_to:
      watched_to_ = std::move(reading);
      complete_ = true;
      return;
    case SliceMoment::over:
      if (std::exchange(complete_, false)) pair_up();
      return;
  }
}

void PairedSlices::pair_up() {
  const auto &out_from = unwatched_from_, &out_to = unwatched_to_, &in_from = watched_from_, &in_to = watched_to_;
  if (out_from.ios == 0 || !rises(out_from, out_to) || !rises(in_from, in_to)) return;
  Pair pair{more(in_from.ios, in_to.ios),
            more(in_from.ns, in_to.ns),
            more(out_from.ios, out_to.ios),
            more(out_from.ns, out_to.ns),
            p50_between(in_from.latencies, in_to.latencies),
            p50_between(out_from.latencies, out_to.latencies),
            0,
            0,
            0};
  if (pair.outside_ns < pair.inside_ns) return;
  if (const double ios = more(out_from.job_ios, out_to.job_ios); out_from.cpu_known && in_to.cpu_known && ios > 0) {
    pair.cpu_ios = more(in_from.job_ios, in_to.job_ios);
    pair.cpu_ns = more(in_from.cpu_ns, in_to.cpu_ns);
    pair.cpu_expected_ns = more(out_from.cpu_ns, out_to.cpu_ns) * pair.cpu_ios / ios;
  }
  pairs_.push_back(pair);
}

PairedCost PairedSlices::sum() const {
  std::size_t n = pairs_.size();
  while (n > 0 && pairs_[n - 1].inside_ios == 0) --n;  // the job had ended
  if (n > 0) --n;
  std::vector<RatioGroup> rates, medians, cpus, times;
  for (const auto& pair : std::span(pairs_).first(n)) {
    const double expected = pair.outside_ios * pair.inside_ns / pair.outside_ns;
    rates.push_back({pair.inside_ios, std::max(expected, kHardlyAny)});
    if (pair.p50_inside_ns > 0 && pair.p50_outside_ns > 0) medians.push_back({pair.p50_inside_ns, pair.p50_outside_ns});
    if (pair.cpu_ios <= 0) continue;
    cpus.push_back({pair.cpu_ns, pair.cpu_expected_ns});
    times.push_back({pair.cpu_ns - pair.cpu_expected_ns, pair.cpu_ios});
  }
  PairedCost out{n, jackknife_ratio(rates), jackknife_ratio(medians), jackknife_ratio(cpus), jackknife_ratio(times)};
  out.rate.value = 1 - out.rate.value;
  out.p50.value -= 1;
  out.cpu.value -= 1;
  return out;
}

}  // namespace fathom::stats
