// Detects two separate modes in latencies (cache hits and misses, a fast and a slow medium). No single number describes
// such latencies.
//
// Problem: every latency histogram has bumps and a tail, and a tail may have a tenth of all samples. Choice: two modes
// are two peaks on a logarithmic axis, kLeastRatio or more apart, each with kLeastShare of all samples. The density of
// the valley between them is a small part of the lower peak's. A tail falls and has no second peak. Pure.
#pragma once
#include <optional>

#include "stats/histogram.h"

namespace fathom::stats::shape {

inline constexpr double kLeastRatio = 4;               // of the modes' medians
inline constexpr double kLeastShare = 0.10;            // of all samples, in the smaller mode
inline constexpr double kMostInValley = 0.1;           // density, relative to the lower peak's
inline constexpr std::uint64_t kFewestOfModes = 1000;  // samples

struct Modes {
  double low_share = 0;                   // of all samples
  std::uint64_t low_ns = 0, high_ns = 0;  // medians of either
};
std::optional<Modes> two_modes(const Histogram& histogram);

}  // namespace fathom::stats::shape
