// The latencies of the last second, of all jobs together: what a live view says beside the rates. Two samplings of 500 ms
// (run/sampling/sampler.h), whose histograms are added up; nothing else is read of the workers. Thread rule: the parent.
#pragma once
#include <array>
#include <deque>
#include <optional>

#include "run/sampling/sampler.h"

namespace fathom::run::sampling {

class Recent {
 public:
  // Of all workers at one tick; none: none was measured.
  void add(std::optional<SamplePoint> all);
  result::Latency latency(std::size_t dir) const;
  // Whether a second is over that begins where the last one ended.
  bool whole() const { return ticks_ % kTicks == 0; }

 private:
  static constexpr std::size_t kTicks = 1'000'000'000 / kSampleNs;
  std::uint64_t ticks_ = 0;
  std::deque<std::optional<SamplePoint>> last_;
};

}  // namespace fathom::run::sampling
