// The time until the first measured part of a run can begin. During this ramp time, probes may be switched on and off
// to measure their overhead; they must be on again before it ends. A worker that has not started still has its whole
// ramp. Thread rule: any; the workers' records are read while they run.
#pragma once
#include <cstdint>
#include <vector>

#include "run/worker_view.h"

namespace fathom::witness::cost {

// The shortest usable ramp has time for about ten pairs; kLongestPair_ns: the maximum for one pair on a busy machine.
inline constexpr std::uint64_t kShortestRamp_ns = 2'000'000'000, kLongestPair_ns = 600'000'000;

class Ramps {
 public:
  struct Of {
    run::WorkerView worker;
    std::uint64_t ramp_ns = 0;
  };
  explicit Ramps(std::vector<Of> workers) : workers_(std::move(workers)) {}
  // 0: there are no workers, or some worker has no ramp, or its measured part has begun or is over.
  std::uint64_t left_ns() const;
  std::uint64_t left_ns(std::uint64_t now_ns) const;
  bool long_enough() const { return left_ns() >= kShortestRamp_ns; }

 private:
  std::vector<Of> workers_;
};

}  // namespace fathom::witness::cost
