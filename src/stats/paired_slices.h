// What watching costs a job, from slices of time in which it is watched. Problem: a run with and one without, held
// against each other, differ by the machine's weather, and on a shared one by more than is asked for. Choice: each slice
// is held against the unwatched time just before it. What the job has done is read at the slice's begin and end, and at
// the begin and end of the time since the slice before; the milliseconds in which watching is switched on and off are in
// neither. The ratio of the sums over slices has a jackknife interval (ratio.h). Three things are held so: the rate
// inside against the one that the slice would have had at the rate before it; the median latency of what ended inside;
// and the CPU time that its I/Os took against what as many took before.
//
// Left out: time before the job's first I/O, a slice after less unwatched time than a slice is long, and the last slice
// that had any I/O, in which the job may have ended. Pure: the clock is the caller's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/ratio.h"

namespace fathom::stats {

// In the order of a round: watching is off, and about to be switched on; I/Os that begin are watched, and are not any
// more; all that were are over, and watching is off.
enum class SliceMoment { unwatched_from, unwatched_to, watched_from, watched_to, over };

// What a job has done so far, at an instant.
struct SliceReading {
  std::uint64_t ns = 0;
  std::uint64_t ios = 0;                  // those that the rate is of
  std::uint64_t job_ios = 0, cpu_ns = 0;  // of the whole job, for one's CPU time is not to be told from another's
  bool cpu_known = false;
  std::vector<std::uint64_t> latencies = {};  // a histogram's buckets (histogram.h)
};

struct PairedCost {
  std::size_t slices = 0;  // that were held against the time before them
  Ratio rate, p50, cpu;    // shares: what is lost of the rate, added to the others
  Ratio cpu_ns;            // added to an I/O
};

class PairedSlices {
 public:
  void at(SliceMoment moment, SliceReading reading);
  PairedCost sum() const;

 private:
  struct Pair {
    double inside_ios, inside_ns, outside_ios, outside_ns;
    double p50_inside_ns, p50_outside_ns;     // 0: of too few
    double cpu_ios, cpu_ns, cpu_expected_ns;  // of the slice; cpu_ios 0: not known
  };
  void pair_up();

  SliceReading unwatched_from_, unwatched_to_, watched_from_, watched_to_;
  bool complete_ = false;  // the slice was not cut short
  std::vector<Pair> pairs_;
};

}  // namespace fathom::stats
