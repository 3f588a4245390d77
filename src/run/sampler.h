// Every 500 ms (fio's bwavgtime) the parent reads each running worker's counters: the series of the result, and the
// samples behind the `bw` and `iops` lines. All workers are read at the same tick, so that a group's series is an exact
// sum and not an average of averages. Reading costs the workers nothing: their counters are plain stores.
#pragma once
#include <cstdint>
#include <vector>

#include "io/request.h"
#include "result/result.h"
#include "run/record.h"

namespace fathom::run {

inline constexpr std::uint64_t kSampleNs = 500'000'000;

struct SamplePoint {
  std::uint32_t tick = 0;     // number of the sampling in the run
  std::uint64_t time_ms = 0;  // since the worker's measured start
  std::uint64_t interval_ns = 0;
  std::uint64_t bytes[io::kDataDirs] = {}, ios[io::kDataDirs] = {};
};

class WorkerSeries {
 public:
  // Takes one sample if the worker is in its measured phase.
  void sample(const WorkerRecord& record, std::uint32_t tick, std::uint64_t now_ns);
  const std::vector<SamplePoint>& points() const { return points_; }
  // A group's series: what was read at the same tick, added up.
  static std::vector<SamplePoint> sum(const std::vector<const WorkerSeries*>& members);

 private:
  bool started_ = false;
  std::uint64_t last_ns_ = 0;
  std::uint64_t bytes_[io::kDataDirs] = {}, ios_[io::kDataDirs] = {};
  std::vector<SamplePoint> points_;
};

// Fills series, bw_kib_s and iops of a direction.
void summarize_series(const std::vector<SamplePoint>& points, std::size_t dir, result::Direction& out);

}  // namespace fathom::run
