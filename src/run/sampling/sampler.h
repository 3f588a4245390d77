// Every 500 ms (fio's bwavgtime) the parent reads the counters of each running worker, for the series of the result and
// the samples of the `bw` and `iops` lines. It reads all workers at the same tick, so that a group's series is an exact
// sum and not an average of averages. Reading costs the workers nothing: their counters are plain stores.
//
// A series does not grow with the runtime: when it is full, adjacent points are added, and each then covers twice the
// ticks. Bytes and I/Os of a point remain exact sums, and its latencies one histogram (run/sampling/latency_since.h).
// The samples of `bw` and `iops` are counted per tick as they arrive, so that joined points do not change them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/request.h"
#include "result/result.h"
#include "run/records/record.h"
#include "run/sampling/latency_since.h"

namespace fathom::run::sampling {

inline constexpr std::uint64_t kSampleNs = 500'000'000;
inline constexpr std::size_t kMostPoints = 600;
inline constexpr std::uint64_t kFewestForP99 = 100, kFewestForP999 = 1000;  // number of latencies

struct SamplePoint {
  std::uint32_t tick = 0;                  // number of its (first) sampling in the run, from 1
  std::uint64_t begin_ns = 0, end_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t worker_start_ns = 0;       // start of its measured part
  std::uint64_t bytes[io::kDataDirs] = {}, ios[io::kDataDirs] = {};
  std::array<Interval, io::kDataDirs> lat = {};
  // Adds a point of another worker for the same time, or the point that follows.
  void merge(const SamplePoint& other);
};

// Minimum, maximum, mean and deviation of values that are not stored (Welford).
class RunningSamples {
 public:
  void add(double value);
  result::Samples samples() const;

 private:
  result::Samples so_far_;
  double squares_ = 0;  // sum of squared deviations from the mean
};

class Series {
 public:
  void add(const SamplePoint& point);  // in rising order of ticks
  const std::vector<SamplePoint>& points() const { return points_; }
  std::uint32_t ticks_per_point() const { return ticks_per_point_; }
  std::uint64_t point_ms() const { return ticks_per_point_ * (kSampleNs / 1'000'000); }
  // Sets series, its bands, bw_kib_s and iops of a direction.
  void summarize(std::size_t dir, result::Direction& out) const;

 private:
  bool same_point(const SamplePoint& a, const SamplePoint& b) const;
  void halve();

  std::vector<SamplePoint> points_;
  std::uint32_t ticks_per_point_ = 1;
  std::uint64_t start_ns_ = UINT64_MAX;
  RunningSamples bw_kib_s_[io::kDataDirs], iops_[io::kDataDirs];
};

// Limits on the number of workers: up to the first, latencies are sampled; up to the second, each worker also keeps its
// own in addition to its group's sum. A sample reads some ten KiB per worker, and a series may take a megabyte.
inline constexpr std::size_t kMostWithLatencies = 256, kMostWithOwnLatencies = 64;

class WorkerSeries {
 public:
  // workers: number of workers in the run.
  void share_with(std::size_t workers) {
    looks_at_latencies_ = workers <= kMostWithLatencies;
    keeps_latencies_ = workers <= kMostWithOwnLatencies;
  }
  // Takes one sample if the worker is in its measured phase. lanes: the records with its latencies; empty: they are in
  // `record`.
  std::optional<SamplePoint> sample(const records::WorkerRecord& record,
                                    std::span<const records::WorkerRecord* const> lanes, std::uint32_t tick,
                                    std::uint64_t now_ns);
  const Series& series() const { return series_; }

 private:
  std::uint64_t start_ns_ = 0, last_ns_ = 0;
  void begin_anew(std::uint64_t start_ns);
  void add_latencies(const records::WorkerRecord& record, std::span<const records::WorkerRecord* const> lanes,
                     SamplePoint& point);

  bool looks_at_latencies_ = true, keeps_latencies_ = true;
  std::uint64_t bytes_[io::kDataDirs] = {}, ios_[io::kDataDirs] = {};
  WorkerLatencies latencies_;
  Series series_;
};

}  // namespace fathom::run::sampling
