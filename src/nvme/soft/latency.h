// A command's latency, drawn at random from a model. fixed: always the same.
// lognormal: median * exp(sigma * z) with z standard normal (Box-Muller), roughly the shape of flash latencies.
// table: the inverse of a step distribution. A share up to the first row's gets the first row's time, from there to the
// second row's share the second's, and so on. The seed determines the sequence. Thread rule: one thread.
#pragma once
#include <cstdint>

#include "base/prng.h"
#include "nvme/soft/options.h"

namespace fathom::nvme::soft {

class LatencySampler {
 public:
  LatencySampler(const LatencyModel& model, std::uint64_t seed) : model_(model), prng_(seed) {}
  std::uint64_t next_ns();

 private:
  double standard_normal();
  LatencyModel model_;
  base::Prng prng_;
};

}  // namespace fathom::nvme::soft
