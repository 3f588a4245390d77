// Sampling of running workers.
#include "run/sampler.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fathom::run {

void WorkerSeries::sample(const WorkerRecord& record, std::uint32_t tick, std::uint64_t now_ns) {
  if (record.get_phase() != Phase::running) return;
  if (!started_) {
    started_ = true;
    last_ns_ = record.start_ns.load(std::memory_order_relaxed);
  }
  // A first interval much shorter than the others would be an outlier by construction: it is joined to the next.
  if (now_ns < last_ns_ + kSampleNs / 2) return;
  SamplePoint p;
  p.tick = tick;
  p.interval_ns = now_ns - last_ns_;
  p.time_ms = (now_ns - record.start_ns.load(std::memory_order_relaxed)) / 1'000'000;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const std::uint64_t bytes = record.measured.done.bytes[d].get(), ios = record.measured.done.ios[d].get();
    p.bytes[d] = bytes - bytes_[d];
    p.ios[d] = ios - ios_[d];
    bytes_[d] = bytes;
    ios_[d] = ios;
  }
  last_ns_ = now_ns;
  points_.push_back(p);
}

std::vector<SamplePoint> WorkerSeries::sum(const std::vector<const WorkerSeries*>& members) {
  std::map<std::uint32_t, SamplePoint> by_tick;
  for (const auto* member : members) {
    for (const auto& p : member->points_) {
      auto& total = by_tick[p.tick];
      total.tick = p.tick;
      total.time_ms = std::max(total.time_ms, p.time_ms);
      total.interval_ns = std::max(total.interval_ns, p.interval_ns);
      for (std::size_t d = 0; d < io::kDataDirs; ++d) {
        total.bytes[d] += p.bytes[d];
        total.ios[d] += p.ios[d];
      }
    }
  }
  std::vector<SamplePoint> points;
  for (auto& [tick, p] : by_tick) points.push_back(p);
  return points;
}

namespace {

result::Samples moments_of(const std::vector<double>& values) {
  result::Samples s;
  s.n = values.size();
  if (values.empty()) return s;
  s.min = *std::min_element(values.begin(), values.end());
  s.max = *std::max_element(values.begin(), values.end());
  for (double v : values) s.mean += v;
  s.mean /= static_cast<double>(values.size());
  double squares = 0;
  for (double v : values) squares += (v - s.mean) * (v - s.mean);
  if (values.size() > 1) s.stddev = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return s;
}

}  // namespace

void summarize_series(const std::vector<SamplePoint>& points, std::size_t dir, result::Direction& out) {
  std::vector<double> bw_kib_s, iops;
  for (const auto& p : points) {
    const double s = static_cast<double>(p.interval_ns) * 1e-9;
    out.series.push_back({p.time_ms, p.interval_ns / 1'000'000, p.bytes[dir], p.ios[dir]});
    bw_kib_s.push_back(static_cast<double>(p.bytes[dir]) / 1024.0 / s);
    iops.push_back(static_cast<double>(p.ios[dir]) / s);
  }
  out.bw_kib_s = moments_of(bw_kib_s);
  out.iops = moments_of(iops);
}

}  // namespace fathom::run
