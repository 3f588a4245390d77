// Implements the search: one step per window.
#include "run/watch/depth_search.h"

#include <algorithm>

namespace fathom::run::watch {

DepthSearch::Next DepthSearch::missed() {
  if (depth_ == 1) return strict() ? Next::failed : Next::go_on;
  high_ = depth_;
  if (depth_ == low_) --low_;
  depth_ = std::max(1u, (depth_ + low_) / 2);
  stable_ = 0;
  return Next::drain;
}

DepthSearch::Next DepthSearch::kept() {
  constexpr unsigned kStableWindows = 3;
  const std::uint32_t before = depth_;
  low_ = depth_;
  if (depth_ + 1 == high_ && ++stable_ >= kStableWindows) {
    ++high_;
    stable_ = 0;
  }
  depth_ = std::min(deepest_, high_ == deepest_ ? depth_ * 2 : (depth_ + high_) / 2);
  if (depth_ != before) return Next::go_on;
  if (settled_) return Next::over;
  if (whole_run_) return Next::go_on;
  settled_ = true;
  return Next::settle;
}

DepthSearch::Next DepthSearch::window_over(std::uint64_t ios, std::uint64_t late) {
  if (ios == 0) return Next::go_on;
  const double kept_percent = 100 * static_cast<double>(ios - std::min(late, ios)) / static_cast<double>(ios);
  return kept_percent >= percentile_ ? kept() : missed();
}

}  // namespace fathom::run::watch
