// A count belongs to an instant: where the thread was held up between the clock and the counters it is read again.
#include "split/sums/watching_cost.h"

#include <algorithm>
#include <span>

#include "base/time.h"
#include "stats/latency_bands.h"
#include "stats/ratio.h"

namespace fathom::split::sums {
namespace {

constexpr std::uint64_t kInstant_ns = 50'000;
constexpr std::uint64_t kFewestForMedian = 10;
constexpr double kHardlyAny = 1e-6;  // I/Os: what a slice is held against after time in which the job stood still

std::uint64_t look(const std::uint64_t& from) { return __atomic_load_n(&from, __ATOMIC_RELAXED); }

// 0: of too few.
double p50_of_difference(std::span<const std::uint64_t> from, std::span<const std::uint64_t> to) {
  if (from.size() != to.size()) return 0;
  std::vector<std::uint64_t> more(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) more[i] = to[i] - from[i];
  const stats::Histogram histogram{std::span<const std::uint64_t>(more)};
  return histogram.total() < kFewestForMedian ? 0 : stats::LatencyBands(histogram).at_rank(0.5);
}

}  // namespace

std::uint64_t WatchingCost::finished() const {
  std::uint64_t ios = 0;
  for (const auto* worker : workers_) ios += look(worker->ios) + look(worker->others.moments.n);
  return ios;
}

// Of those that have any: a page that nobody has written is not to be read either.
WatchingCost::Counts WatchingCost::counts(PartRecord DirectionSplit::*record) const {
  Counts out(stats::kBuckets, 0);
  for (const auto* worker : workers_) {
    const PartRecord& part = worker->*record;
    if (look(part.moments.n) == 0) continue;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += look(part.counts.counts[i]);
  }
  return out;
}

void WatchingCost::at(SliceMoment moment) {
  Count count;
  std::uint64_t after = 0;
  for (int i = 0; i < 3 && (i == 0 || after - count.ns > kInstant_ns); ++i) {
    count.ns = base::monotonic_ns();
    count.ios = finished();
    after = base::monotonic_ns();
  }
  note(moment, count);
}

void WatchingCost::at(SliceMoment moment, std::uint64_t now_ns) { note(moment, {finished(), now_ns}); }

// Histograms take longer to read than counts: they are outside of the time that is measured, or nearly.
void WatchingCost::note(SliceMoment moment, Count count) {
  switch (moment) {
    case SliceMoment::unwatched_from:
      unwatched_from_ = count;
      others_from_ = counts(&DirectionSplit::others);
      return;
    case SliceMoment::unwatched_to:
      unwatched_to_ = count;
      others_to_ = counts(&DirectionSplit::others);
      whole_from_ = counts(&DirectionSplit::whole);
      return;
    case SliceMoment::watched_from:
      watched_from_ = count;
      return;
    case SliceMoment::watched_to:
      watched_to_ = count;
      complete_ = true;
      return;
    case SliceMoment::over:
      if (complete_) pair_up();
      complete_ = false;
      return;
  }
}

void WatchingCost::pair_up() {
  const auto ns = [](const Count& from, const Count& to) { return static_cast<double>(to.ns - from.ns); };
  const auto ios = [](const Count& from, const Count& to) { return static_cast<double>(to.ios - from.ios); };
  const Pair pair{ios(watched_from_, watched_to_),
                  ns(watched_from_, watched_to_),
                  ios(unwatched_from_, unwatched_to_),
                  ns(unwatched_from_, unwatched_to_),
                  p50_of_difference(whole_from_, counts(&DirectionSplit::whole)),
                  p50_of_difference(others_from_, others_to_)};
  if (unwatched_from_.ios > 0 && pair.outside_ns >= pair.inside_ns) pairs_.push_back(pair);
}

result::WatchingCost WatchingCost::sum() const {
  std::size_t n = pairs_.size();
  while (n > 0 && pairs_[n - 1].inside_ios == 0) --n;  // the job had ended
  if (n > 0) --n;
  std::vector<stats::RatioGroup> rates, medians;
  for (const auto& pair : std::span(pairs_).first(n)) {
    const double expected = pair.outside_ios * pair.inside_ns / pair.outside_ns;
    rates.push_back({pair.inside_ios, std::max(expected, kHardlyAny)});
    if (pair.p50_inside_ns > 0 && pair.p50_outside_ns > 0) medians.push_back({pair.p50_inside_ns, pair.p50_outside_ns});
  }
  const auto rate = stats::jackknife_ratio(rates), p50 = stats::jackknife_ratio(medians);
  result::WatchingCost out;
  out.slices = n;
  if (rate.groups > 0) out.rate = {1 - rate.value, rate.half_width};
  if (p50.groups > 0) out.p50 = {p50.value - 1, p50.half_width};
  return out;
}

}  // namespace fathom::split::sums
