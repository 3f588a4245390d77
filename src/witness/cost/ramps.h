// How long nothing counts yet: the time until the first of a run's measured parts can begin. In it watching may be
// switched on and off to see what it costs, and has to be on again before it is over. A worker that is still to start
// has all of its ramp before it. Thread rule: any; the workers' records are read while they run.
#pragma once
#include <cstdint>
#include <vector>

#include "run/worker_view.h"

namespace fathom::witness::cost {

// Some ten pairs fit into the shortest ramp that is used; what one takes at most, on a machine that has much to do.
inline constexpr std::uint64_t kShortestRamp_ns = 2'000'000'000, kLongestPair_ns = 600'000'000;

class Ramps {
 public:
  struct Of {
    run::WorkerView worker;
    std::uint64_t ramp_ns = 0;
  };
  explicit Ramps(std::vector<Of> workers) : workers_(std::move(workers)) {}
  // 0: there are none, or some worker has no ramp, or is in its measured part or beyond.
  std::uint64_t left_ns() const;
  std::uint64_t left_ns(std::uint64_t now_ns) const;
  bool long_enough() const { return left_ns() >= kShortestRamp_ns; }

 private:
  std::vector<Of> workers_;
};

}  // namespace fathom::witness::cost
