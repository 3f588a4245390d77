// Four bands of a job's latencies: the faster half, up to p99, up to p99.9, and above. Problem: a mean says where the
// time of the usual I/O goes, and the tail is another story, told by a thousandth of them; and of a device that always
// takes the same time, p50, p99 and p99.9 are one number, so that edges in ns put all I/Os into one band.
//
// Choice: the edges are ranks, not times. Latencies that are only known to lie between two values (a bucket of a coarse
// table) belong to each band as far as the ranks between those values do: where an edge falls within a bucket, the
// bucket is divided in proportion. That takes the I/Os of one bucket, an eighth of an octave, to be alike. Where nobody's
// latency lies between the two, all of it is in the band of the rank that is reached there. Pure.
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

// Some of the job's latencies, each of them so much longer than it is to be counted.
struct Latencies {
  const Histogram& histogram;
  double less_ns = 0;
};

class LatencyBands {
 public:
  explicit LatencyBands(std::initializer_list<Latencies> all);
  explicit LatencyBands(const Histogram& all) : LatencyBands({{all, 0}}) {}
  // Of what lies in from <= ns < to: which share is in each band. They add up to 1; of no histogram all is in the first.
  Banded shares(double from_ns, double to_ns) const;
  // Of the time of all: which share is in each band.
  const Banded& time() const { return time_; }
  // The latency that is reached at a rank (0 to 1), to a fraction of a bucket; 0 of no latencies.
  double at_rank(double rank) const;
  // From where on a band is; of kBands: where the last ends.
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
