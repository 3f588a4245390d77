// Combines each upper bound with each lower bound: at two different times, they limit the rate from one side. A counter
// that reads n is anywhere in [n, n + 1). The difference of two counters is therefore uncertain by one tick in both
// directions. This is negligible for a fast counter. For one of 62.5 MHz, it is 32 ppm in half a millisecond.
#include "clock/cores/offset_bounds.h"

#include <algorithm>
#include <cmath>

namespace fathom::clock::cores {
namespace {

constexpr double kTick = 1;  // maximum by which a read is behind its counter

}  // namespace

std::optional<std::int64_t> OffsetBounds::smallest(const Windows& windows) {
  const auto least = std::min_element(windows.begin(), windows.end(),
                                      [](const Tightest& x, const Tightest& y) { return x.gap < y.gap; });
  return least->seen() ? std::optional(least->gap) : std::nullopt;
}

std::optional<std::int64_t> OffsetBounds::upper() const { return smallest(upper_); }

std::optional<std::int64_t> OffsetBounds::lower() const {
  const auto gap = smallest(lower_);
  return gap ? std::optional(-*gap) : std::nullopt;
}

DriftBounds OffsetBounds::drift() const {
  DriftBounds bounds;
  for (const auto& up : upper_) {
    for (const auto& low : lower_) {
      if (!up.seen() || !low.seen() || up.time == low.time) continue;
      const auto passed = static_cast<double>(static_cast<std::int64_t>(up.time - low.time));
      const auto most = static_cast<double>(up.gap + low.gap) + 2 * kTick;
      const double apart = std::abs(passed) + (most > 0 ? -kTick : kTick);
      if (apart <= 0) continue;
      const double rate_ppm = 1e6 * most / apart;
      if (passed > 0)
        bounds.high_ppm = std::min(bounds.high_ppm, rate_ppm);
      else
        bounds.low_ppm = std::max(bounds.low_ppm, -rate_ppm);
    }
  }
  return bounds;
}

}  // namespace fathom::clock::cores
