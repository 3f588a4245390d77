// The latencies that a worker has counted since the last look, as a histogram: for a point of the series, and for the
// live report of the last second. Problem: a percentile per half second, at no cost for the loop. Choice: the parent
// reads the worker's histogram in shared memory and subtracts the previous reading. Percentiles of intervals cannot be
// added, but histograms can. The worker stores during the read, in words that the hardware does not tear. An I/O that
// completes during the look therefore counts in this interval or in the next one, never in both.
//
// The interval uses the first latency that the job has: intended_lat if it is paced, else lat, else clat. The parent
// does not read pages that no I/O has touched, because a read would allocate them.
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

// mixed: several jobs with different latencies.
enum class SeriesLatency : std::uint8_t { none, intended_lat, lat, clat, mixed };
const char* name_of(SeriesLatency latency);  // its name in the result; "": none

SeriesLatency both(SeriesLatency one, SeriesLatency other);  // for the merge of two intervals

// The latencies of an interval. seen: n, minimum and maximum of all latencies that the workers have counted since their
// start; they bound the percentiles.
struct Interval {
  SeriesLatency of = SeriesLatency::none;
  PackedHistogram histogram;
  stats::Moments seen;
  void merge(const Interval& other);
  result::Latency latency() const { return {seen, histogram.unpacked()}; }
};

// For one record and one direction.
class LatencySince {
 public:
  Interval look(const records::DirectionRecord& live);

 private:
  SeriesLatency latency_ = SeriesLatency::none;
  std::vector<std::uint64_t> before_;  // by bucket, up to the largest one used
};

// For one worker: its record, or the records of its lanes.
class WorkerLatencies {
 public:
  Interval look(std::span<const records::WorkerRecord* const> records, std::size_t dir);

 private:
  std::vector<std::array<LatencySince, io::kDataDirs>> since_;
};

}  // namespace fathom::run::sampling
