// Four bands of a job's latencies: the faster half, up to p99, up to p99.9, and above. Problem: a mean shows the time
// of the usual I/O. The tail is different, and only a thousandth of the I/Os show it. If a device always takes the same
// time, p50, p99 and p99.9 are one number, and edges in ns would put all I/Os into one band.
//
// Choice: the edges are ranks, not times. Some latencies are only known to be between two values (a bucket of a coarse
// table). Each band gets the share of them that matches the ranks between those values: if an edge falls within a
// bucket, the bucket is divided in proportion. This assumes that the I/Os of one bucket, an eighth of an octave, are
// alike. If no latency is between the two values, all of it goes to the band of the rank that is reached there. Pure.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "stats/histogram.h"

namespace fathom::stats {

inline constexpr std::size_t kBands = 4;
inline constexpr double kBandEdges[kBands + 1] = {0, 0.5, 0.99, 0.999, 1};  // of the rank
inline constexpr const char* kBandNames[kBands] = {"p0-50", "p50-99", "p99-99.9", "above p99.9"};
using Banded = std::array<double, kBands>;

// Some of the job's latencies. `less_ns` is subtracted from each before it is counted.
struct Latencies {
  const Histogram& histogram;
  double less_ns = 0;
};

class LatencyBands {
 public:
  explicit LatencyBands(std::initializer_list<Latencies> all);
  explicit LatencyBands(const Histogram& all) : LatencyBands({{all, 0}}) {}
  // The share in each band of the latencies in from <= ns < to. The shares add up to 1. Without a histogram, all of it
  // is in the first band.
  Banded shares(double from_ns, double to_ns) const;
  // The share in each band of the total time.
  const Banded& time() const { return time_; }
  // The latency at a rank (0 to 1), to a fraction of a bucket; 0 if there are no latencies.
  double at_rank(double rank) const;
  // The lower edge of a band; for kBands: the upper edge of the last one.
  double edge_ns(std::size_t band) const { return at_rank(kBandEdges[band]); }

 private:
  double rank_at(double ns) const;

  struct Step {
    double from_ns, to_ns, from, to;  // values between which ranks (0 to 1) rise evenly
  };
  std::vector<Step> steps_;  // rising
  Banded time_{};
};

}  // namespace fathom::stats
