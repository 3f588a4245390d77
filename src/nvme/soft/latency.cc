// Generates samples of the latency model.
#include "nvme/soft/latency.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::nvme::soft {

double LatencySampler::standard_normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - prng_.unit()));
  return radius * std::cos(2.0 * std::numbers::pi * prng_.unit());
}

std::uint64_t LatencySampler::next_ns() {
  constexpr double kLongest_ns = 3.6e12;  // an hour
  switch (model_.kind) {
    case LatencyModel::Kind::none:
      return 0;
    case LatencyModel::Kind::fixed:
      return model_.fixed_ns;
    case LatencyModel::Kind::lognormal: {
      const double ns = static_cast<double>(model_.fixed_ns) * std::exp(model_.sigma * standard_normal());
      return static_cast<std::uint64_t>(std::min(ns, kLongest_ns));
    }
    case LatencyModel::Kind::table: {
      const double share = prng_.unit();
      for (const auto& [up_to, ns] : model_.table)
        if (share < up_to) return ns;
      return model_.table.back().second;
    }
  }
  return 0;
}

}  // namespace fathom::nvme::soft
