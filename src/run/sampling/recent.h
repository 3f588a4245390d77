// The latencies of the last second, over all jobs, for a live view. It adds the histograms of two samplings of 500 ms
// (run/sampling/sampler.h) and reads nothing else from the workers. Thread rule: the parent.
#pragma once
#include <array>
#include <deque>
#include <optional>

#include "run/sampling/sampler.h"

namespace fathom::run::sampling {

class Recent {
 public:
  // all: the sum of all workers at one tick; empty: no worker was measured.
  void add(std::optional<SamplePoint> all);
  result::Latency latency(std::size_t dir) const;
  // True at each full second; these seconds do not overlap.
  bool whole() const { return ticks_ % kTicks == 0; }

 private:
  static constexpr std::size_t kTicks = 1'000'000'000 / kSampleNs;
  std::uint64_t ticks_ = 0;
  std::deque<std::optional<SamplePoint>> last_;
};

}  // namespace fathom::run::sampling
