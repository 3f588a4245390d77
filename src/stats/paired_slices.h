// Measures probe overhead, from slices of time in which a job is traced. Problem: two runs, one with and one without
// tracing, also differ by the machine's conditions: on a shared machine by more than the overhead. Choice: each slice
// is compared with the untraced time just before it. The job's progress is read at the slice's begin and end, and at
// the begin and end of the time since the slice before. The milliseconds in which tracing is switched on and off are in
// neither. The ratio of the sums over slices has a jackknife interval (ratio.h). Three comparisons are made: the rate
// inside with the rate before the slice; the median latency of the I/Os that ended inside; and the CPU time of its I/Os
// with the CPU time of as many I/Os before.
//
// Omitted: time before the job's first I/O, a slice after less untraced time than the length of a slice, and the last
// slice with any I/O, in which the job may have ended. Pure: the caller provides the clock.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/ratio.h"

namespace fathom::stats {

// In the order of a round: tracing is off, and about to be switched on; new I/Os are traced; new I/Os are no longer
// traced; all traced I/Os are over, and tracing is off.
enum class SliceMoment { unwatched_from, unwatched_to, watched_from, watched_to, over };

// A job's progress at an instant.
struct SliceReading {
  std::uint64_t ns = 0;
  std::uint64_t ios = 0;                  // I/Os that the rate counts
  std::uint64_t job_ios = 0, cpu_ns = 0;  // of the whole job: CPU time cannot be attributed to single directions
  bool cpu_known = false;
  std::vector<std::uint64_t> latencies = {};  // a histogram's buckets (histogram.h)
};

struct PairedCost {
  std::size_t slices = 0;  // slices that were compared with the time before them
  Ratio rate, p50, cpu;    // shares: lost of the rate, added to the others
  Ratio cpu_ns;            // added per I/O
};

class PairedSlices {
 public:
  void at(SliceMoment moment, SliceReading reading);
  PairedCost sum() const;

 private:
  struct Pair {
    double inside_ios, inside_ns, outside_ios, outside_ns;
    double p50_inside_ns, p50_outside_ns;     // 0: too few I/Os
    double cpu_ios, cpu_ns, cpu_expected_ns;  // of the slice; cpu_ios 0: not known
  };
  void pair_up();

  SliceReading unwatched_from_, unwatched_to_, watched_from_, watched_to_;
  bool complete_ = false;  // the slice was not cut short
  std::vector<Pair> pairs_;
};

}  // namespace fathom::stats
