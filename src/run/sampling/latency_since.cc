// Reads the counters of latencies since the last look. It reads each word once as volatile, from the bucket of the
// smallest to that of the largest latency.
#include "run/sampling/latency_since.h"

#include <algorithm>
#include <utility>

namespace fathom::run::sampling {
namespace {

// The writer uses plain stores. Formally this is a data race, but these words are not torn (run/outcome/so_far.cc).
__attribute__((no_sanitize("thread"))) std::uint64_t word(const std::uint64_t& live) {
  return *static_cast<const volatile std::uint64_t*>(&live);
}

struct Counted {
  SeriesLatency latency;
  const records::LatencySums* sums;
  const stats::RawHistogram* counts;
};

Counted first_used(const records::DirectionRecord& r) {
  if (word(r.intended.moments.n) > 0) return {SeriesLatency::intended_lat, &r.intended, &r.intended_counts};
  if (word(r.lat.moments.n) > 0) return {SeriesLatency::lat, &r.lat, &r.lat_counts};
  if (word(r.clat.moments.n) > 0) return {SeriesLatency::clat, &r.clat, &r.clat_counts};
  return {SeriesLatency::none, nullptr, nullptr};
}

}  // namespace

const char* name_of(SeriesLatency latency) {
  switch (latency) {
    case SeriesLatency::intended_lat:
      return "intended_lat";
    case SeriesLatency::lat:
      return "lat";
    case SeriesLatency::clat:
      return "clat";
    case SeriesLatency::mixed:
      return "mixed";
    case SeriesLatency::none:
      break;
  }
  return "";
}

SeriesLatency both(SeriesLatency one, SeriesLatency other) {
  if (one == SeriesLatency::none || one == other) return other;
  return other == SeriesLatency::none ? one : SeriesLatency::mixed;
}

void Interval::merge(const Interval& other) {
  of = both(of, other.of);
  histogram.merge(other.histogram);
  seen.merge(other.seen);
}

Interval LatencySince::look(const records::DirectionRecord& live) {
  Interval found;
  const auto [latency, sums, counts] = first_used(live);
  if (latency == SeriesLatency::none) return found;
  if (std::exchange(latency_, latency) != latency) before_.clear();
  found.of = latency;
  found.seen.n = word(sums->moments.n);
  found.seen.min_inverted = word(sums->moments.min_inverted);
  found.seen.max = word(sums->moments.max);
  const std::size_t first = stats::bucket_of(found.seen.min()), last = stats::bucket_of(found.seen.max);
  if (before_.size() <= last) before_.resize(last + 1);
  for (std::size_t bucket = first; bucket <= last; ++bucket) {
    const std::uint64_t now = word(counts->counts[bucket]);
    const std::uint64_t before = std::exchange(before_[bucket], now);
    found.histogram.append(bucket, now >= before ? now - before : now);  // if less, the ramp's end cleared it
  }
  return found;
}

Interval WorkerLatencies::look(std::span<const records::WorkerRecord* const> records, std::size_t dir) {
  if (since_.size() < records.size()) since_.resize(records.size());
  Interval sum;
  for (std::size_t i = 0; i < records.size(); ++i) sum.merge(since_[i][dir].look(records[i]->measured.dirs[dir]));
  return sum;
}

}  // namespace fathom::run::sampling
