// latency_target=: finds the queue depth that keeps a latency. It follows fio's rules, with the same depths in the same
// order: begin with 1, and double while windows of I/Os keep the target. After the first window that does not, take the
// middle between the deepest depth that kept it and the shallowest that did not. Three good windows just below that
// limit raise it by one, because devices also become faster. Pure: the caller reports windows, and gets the next step.
#pragma once
#include <cstdint>

namespace fathom::run::watch {

class DepthSearch {
 public:
  enum class Next : std::uint8_t {
    go_on,   // continue at depth(), which may be deeper than before
    drain,   // depth() is shallower: I/Os in flight complete first and do not count
    settle,  // depth found: drain, clear the counters, then measure one more window
    over,    // that window has ended
    failed,  // even depth 1 does not keep the target
  };

  // percentile: share of a window's I/Os, in percent, that must keep the target. whole_run: the search continues after
  // it has found a depth.
  DepthSearch(std::uint32_t deepest, double percentile, bool whole_run)
      : percentile_(percentile), whole_run_(whole_run), deepest_(deepest), high_(deepest) {}

  std::uint32_t depth() const { return depth_; }
  // One late I/O misses the target; at depth 1 the search then fails.
  bool strict() const { return percentile_ >= 100; }
  // late: late I/Os among the window's `ios`.
  Next window_over(std::uint64_t ios, std::uint64_t late);
  // Call if the target was missed before the window ended; only if strict().
  Next missed();

 private:
  Next kept();

  double percentile_;
  bool whole_run_, settled_ = false;
  std::uint32_t deepest_, depth_ = 1, low_ = 1, high_;
  unsigned stable_ = 0;
};

}  // namespace fathom::run::watch
