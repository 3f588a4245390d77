// The latencies of the last second, of all jobs together: what a live view says beside the rates. Two samplings of 500 ms
// (run/records/sampler.h), whose histograms are added up; nothing else is read of the workers. Thread rule: the parent.
#pragma once
#include <array>
#include <deque>
#include <optional>

#include "run/records/sampler.h"

namespace fathom::run {

class Recent {
 public:
  // Of all workers at one tick; none: none was measured.
  void add(std::optional<records::SamplePoint> all);
  stats::Histogram latencies(std::size_t dir) const;
  // Whether a second is over that begins where the last one ended.
  bool whole() const { return ticks_ % kTicks == 0; }

 private:
  static constexpr std::size_t kTicks = 1'000'000'000 / records::kSampleNs;
  std::uint64_t ticks_ = 0;
  std::deque<std::optional<records::SamplePoint>> last_;
};

}  // namespace fathom::run
