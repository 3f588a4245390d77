// The latencies that a worker has counted since the last look, as a histogram: what a point of the series says of them,
// and what is told of the last second. Problem: a percentile of each half second, at no cost for the loop. Choice: the
// parent reads the worker's histogram, which is memory that both see, and subtracts what it read before; percentiles of
// intervals cannot be added, but histograms can. The worker stores meanwhile, by words that the hardware does not tear:
// an I/O that is completed during the look is in this interval or in the next, and in one of them.
//
// Of the latencies that a job has, the one that a reader asks for first: intended_lat where it is paced, else lat, else
// clat. Pages that no I/O has touched are not read, which would make them memory.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "io/request.h"
#include "result/result.h"
#include "run/records/record.h"
#include "run/sampling/packed_histogram.h"
#include "stats/moments.h"

namespace fathom::run::sampling {

// mixed: of several jobs each its own.
enum class SeriesLatency : std::uint8_t { none, intended_lat, lat, clat, mixed };
const char* name_of(SeriesLatency latency);  // as the result calls it; "": none

SeriesLatency both(SeriesLatency one, SeriesLatency other);  // of what one and the other is merged into

// The latencies of an interval. seen: n, smallest and largest of all that their workers have counted since they began, within
// which percentiles are held.
struct Interval {
  SeriesLatency of = SeriesLatency::none;
  PackedHistogram histogram;
  stats::Moments seen;
  void merge(const Interval& other);
  result::Latency latency() const { return {seen, histogram.unpacked()}; }
};

// Of one record and one direction.
class LatencySince {
 public:
  Interval look(const records::DirectionRecord& live);

 private:
  SeriesLatency latency_ = SeriesLatency::none;
  std::vector<std::uint64_t> before_;  // by bucket, up to the largest that was hit
};

// Of a worker: of its record, or of those of its lanes.
class WorkerLatencies {
 public:
  Interval look(std::span<const records::WorkerRecord* const> records, std::size_t dir);

 private:
  std::vector<std::array<LatencySince, io::kDataDirs>> since_;
};

}  // namespace fathom::run::sampling
