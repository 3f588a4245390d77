// Samples running workers.
#include "run/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "result/sums/percentiles.h"

namespace fathom::run::sampling {
namespace {

void set_latencies(const result::Latency& latency, result::SeriesPoint& point) {
  const std::uint64_t n = latency.histogram_ns.total();
  if (n == 0) return;
  point.lat_n = n;
  point.lat_ns_p50 = result::percentile_of(latency, 50);
  if (n >= kFewestForP99) point.lat_ns_p99 = result::percentile_of(latency, 99);
  if (n >= kFewestForP999) point.lat_ns_p999 = result::percentile_of(latency, 99.9);
}

// 64 buckets per octave become four bands: a band is finer than a row of a picture, and a point has few of them.
class Bands {
 public:
  explicit Bands(std::size_t points) : points_(points) {}
  void add(std::size_t point, const stats::Histogram& histogram) {
    for (const auto& bin : histogram.bins()) {
      auto& counts = counts_[bin.bucket / kBucketsInBand];
      counts.resize(points_);
      counts[point] += bin.count;
    }
  }
  std::vector<result::SeriesBand> take() {
    std::vector<result::SeriesBand> bands;
    for (auto& [band, counts] : counts_)
      bands.push_back({stats::bucket_begin(band * kBucketsInBand),
                       stats::bucket_end(band * kBucketsInBand + kBucketsInBand - 1), std::move(counts)});
    return bands;
  }

 private:
  static constexpr std::size_t kBucketsInBand = 16;
  std::size_t points_;
  std::map<std::size_t, std::vector<std::uint64_t>> counts_;
};

}  // namespace

void SamplePoint::merge(const SamplePoint& other) {
  tick = std::min(tick, other.tick);
  begin_ns = std::min(begin_ns, other.begin_ns);
  end_ns = std::max(end_ns, other.end_ns);
  worker_start_ns = std::min(worker_start_ns, other.worker_start_ns);
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    bytes[d] += other.bytes[d];
    ios[d] += other.ios[d];
    lat[d].merge(other.lat[d]);
  }
}

void RunningSamples::add(double value) {
  auto& s = so_far_;
  s.min = s.n == 0 ? value : std::min(s.min, value);
  s.max = s.n == 0 ? value : std::max(s.max, value);
  const double before = value - s.mean;
  s.mean += before / static_cast<double>(++s.n);
  squares_ += before * (value - s.mean);
}

result::Samples RunningSamples::samples() const {
  auto s = so_far_;
  if (s.n > 1) s.stddev = std::sqrt(squares_ / static_cast<double>(s.n - 1));
  return s;
}

bool Series::same_point(const SamplePoint& a, const SamplePoint& b) const {
  return (a.tick - 1) / ticks_per_point_ == (b.tick - 1) / ticks_per_point_;
}

// Points begin at multiples of their width, so that points of several workers cover the same ticks.
void Series::halve() {
  ticks_per_point_ *= 2;
  std::size_t last = 0;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    if (same_point(points_[last], points_[i]))
      points_[last].merge(points_[i]);
    else
      points_[++last] = points_[i];
  }
  points_.resize(std::min(points_.size(), last + 1));
}

void Series::add(const SamplePoint& point) {
  const double s = static_cast<double>(point.end_ns - point.begin_ns) * 1e-9;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    bw_kib_s_[d].add(static_cast<double>(point.bytes[d]) / 1024.0 / s);
    iops_[d].add(static_cast<double>(point.ios[d]) / s);
  }
  start_ns_ = std::min(start_ns_, point.worker_start_ns);
  const auto joins = [&] { return !points_.empty() && same_point(points_.back(), point); };
  while (!joins() && points_.size() >= kMostPoints) halve();
  if (joins())
    points_.back().merge(point);
  else
    points_.push_back(point);
}

void Series::summarize(std::size_t dir, result::Direction& out) const {
  out.series.clear();
  Bands bands(points_.size());
  auto all = SeriesLatency::none;  // not each point has I/Os of every job
  for (const auto& p : points_) {
    out.series.push_back(
        {(p.end_ns - start_ns_) / 1'000'000, (p.end_ns - p.begin_ns) / 1'000'000, p.bytes[dir], p.ios[dir]});
    if (p.lat[dir].histogram.empty()) continue;
    const auto latency = p.lat[dir].latency();
    set_latencies(latency, out.series.back());
    bands.add(out.series.size() - 1, latency.histogram_ns);
    all = both(all, p.lat[dir].of);
  }
  if (all != SeriesLatency::none) out.series_latency = name_of(all);
  out.series_bands = bands.take();
  out.bw_kib_s = bw_kib_s_[dir].samples();
  out.iops = iops_[dir].samples();
}

void WorkerSeries::begin_anew(std::uint64_t start_ns) {
  start_ns_ = last_ns_ = start_ns;
  std::fill(std::begin(bytes_), std::end(bytes_), 0);
  std::fill(std::begin(ios_), std::end(ios_), 0);
  latencies_ = {};
  series_ = {};
}

void WorkerSeries::add_latencies(const records::WorkerRecord& record,
                                 std::span<const records::WorkerRecord* const> lanes, SamplePoint& point) {
  const records::WorkerRecord* const own[] = {&record};
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (point.ios[d] == 0) continue;
    point.lat[d] = latencies_.look(lanes.empty() ? std::span<const records::WorkerRecord* const>(own) : lanes, d);
  }
}

std::optional<SamplePoint> WorkerSeries::sample(const records::WorkerRecord& record,
                                                std::span<const records::WorkerRecord* const> lanes, std::uint32_t tick,
                                                std::uint64_t now_ns) {
  if (record.get_phase() != records::Phase::running) return std::nullopt;
  const std::uint64_t start_ns = record.start_ns.load(std::memory_order_relaxed);
  if (start_ns != start_ns_) begin_anew(start_ns);  // latency_target has found its depth
  // A first interval much shorter than the others would be an outlier. It is joined to the next one.
  if (now_ns < last_ns_ + kSampleNs / 2) return std::nullopt;
  SamplePoint p{tick, last_ns_, now_ns, start_ns};
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const std::uint64_t bytes = record.measured.done.bytes[d].get(), ios = record.measured.done.ios[d].get();
    p.bytes[d] = bytes - bytes_[d];
    p.ios[d] = ios - ios_[d];
    bytes_[d] = bytes;
    ios_[d] = ios;
  }
  last_ns_ = now_ns;
  if (looks_at_latencies_) add_latencies(record, lanes, p);
  if (keeps_latencies_) {
    series_.add(p);
    return p;
  }
  auto kept = p;
  kept.lat = {};
  series_.add(kept);
  return p;
}

}  // namespace fathom::run::sampling
