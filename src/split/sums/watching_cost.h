// What watching costs, from the slices themselves. Problem: a run with and one without, held against each other, differ
// by the machine's weather, and on a shared one by more than is asked for. Choice: each slice is held against the
// unwatched time just before it. How many I/Os the loops have finished is read at its begin and end, and at the begin and
// end of the time since the slice before; the milliseconds in which programs are attached and detached are in neither.
// The rate inside is held against the one that the slice would have had at the rate before it; the median latency
// against the median before. The ratio of the sums over slices has a jackknife interval.
//
// Which of the two a job can show: one that is paced (rate=, thinktime=) keeps its rate whatever an I/O costs, and its
// latency grows. CPU time an I/O would show it too, but the CPU time of a worker is not to be had for the instants of a
// slice.
//
// Left out: time before the job's first I/O that counts (its ramp), a slice after less unwatched time than a slice is
// long, and the last slice that had any I/O, in which the job may have ended. Thread rule: one thread; the workers' sums
// are read while they run.
#pragma once
#include <cstdint>
#include <vector>

#include "result/breakdown.h"
#include "split/split_record.h"

namespace fathom::split::sums {

// In the order of a round: programs are detached, and about to be attached; I/Os that begin are watched, and are not any
// more; all that were are over, and the programs detached.
enum class SliceMoment { unwatched_from, unwatched_to, watched_from, watched_to, over };

class WatchingCost {
 public:
  explicit WatchingCost(std::vector<const DirectionSplit*> workers) : workers_(std::move(workers)) {}
  void at(SliceMoment moment);
  // The same, by a clock of the caller's.
  void at(SliceMoment moment, std::uint64_t now_ns);
  // by and added_ns are the caller's to say.
  result::WatchingCost sum() const;

 private:
  struct Count {
    std::uint64_t ios = 0, ns = 0;
  };
  using Counts = std::vector<std::uint64_t>;  // of a histogram
  struct Pair {
    double inside_ios, inside_ns, outside_ios, outside_ns;
    double p50_inside_ns, p50_outside_ns;  // 0: of too few
  };
  std::uint64_t finished() const;
  Counts counts(PartRecord DirectionSplit::*record) const;
  void note(SliceMoment moment, Count count);
  void pair_up();

  std::vector<const DirectionSplit*> workers_;
  Count unwatched_from_, unwatched_to_, watched_from_, watched_to_;
  Counts others_from_, others_to_, whole_from_;
  bool complete_ = false;  // the slice was not cut short
  std::vector<Pair> pairs_;
};

}  // namespace fathom::split::sums
