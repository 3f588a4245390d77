// The places of the hot set. The first is the start of the range, and each later one is random.
#include "pattern/hot_set.h"

#include <algorithm>
#include <cmath>

namespace fathom::pattern {

HotSet::HotSet(double access_percent, double set_percent, std::uint64_t n, std::uint64_t seed)
    : n_(std::max<std::uint64_t>(n, 1)),
      hot_ranks_(static_cast<std::uint64_t>(std::llround(static_cast<double>(n_) * set_percent / 100))),
      places_(seed) {
  hot_ranks_ = std::clamp<std::uint64_t>(hot_ranks_, 1, n_);
  const double share = hot_ranks_ == n_ ? 1 : access_percent / 100;
  hot_below_ = static_cast<std::uint64_t>(share * 0x1p63);
}

void HotSet::move() {
  const bool room = n_ >= 2 * hot_ranks_;
  const std::uint64_t step = room ? hot_ranks_ + places_.below(n_ - 2 * hot_ranks_ + 1) : places_.below(n_);
  start_ += step;
  if (start_ >= n_) start_ -= n_;
}

}  // namespace fathom::pattern
