#include "run/records/latency_since.h"

#include <algorithm>
#include <utility>

namespace fathom::run::records {
namespace {

// The writer's stores are plain ones: a race by the book, of words that are not torn (run/outcome/so_far.cc).
__attribute__((no_sanitize("thread"))) std::uint64_t word(const std::uint64_t& live) {
  return *static_cast<const volatile std::uint64_t*>(&live);
}

struct Counted {
  SeriesLatency latency;
  const LatencySums* sums;
  const stats::RawHistogram* counts;
};

Counted first_used(const DirectionRecord& r) {
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
    case SeriesLatency::none:
      break;
  }
  return "";
}

stats::PackedHistogram LatencySince::look(const DirectionRecord& live) {
  stats::PackedHistogram found;
  const auto [latency, sums, counts] = first_used(live);
  if (latency == SeriesLatency::none) return found;
  if (std::exchange(latency_, latency) != latency) before_.clear();
  const std::size_t first = stats::bucket_of(~word(sums->moments.min_inverted));
  const std::size_t last = stats::bucket_of(word(sums->moments.max));
  if (before_.size() <= last) before_.resize(last + 1);
  for (std::size_t bucket = first; bucket <= last; ++bucket) {
    const std::uint64_t now = word(counts->counts[bucket]);
    const std::uint64_t before = std::exchange(before_[bucket], now);
    found.append(bucket, now >= before ? now - before : now);  // less: it was cleared, with the ramp
  }
  return found;
}

stats::PackedHistogram WorkerLatencies::look(std::span<const WorkerRecord* const> records, std::size_t dir) {
  if (since_.size() < records.size()) since_.resize(records.size());
  stats::PackedHistogram sum;
  for (std::size_t i = 0; i < records.size(); ++i) sum.merge(since_[i][dir].look(records[i]->measured.dirs[dir]));
  return sum;
}

SeriesLatency WorkerLatencies::latency(std::size_t dir) const {
  for (const auto& of_record : since_)
    if (of_record[dir].latency() != SeriesLatency::none) return of_record[dir].latency();
  return SeriesLatency::none;
}

}  // namespace fathom::run::records
