// latency_target=: which depth of the queue keeps a latency. As in fio (its rules, and the same depths in the same
// order): begin with 1 and double while windows of I/Os keep the target; after the first that does not, take the middle
// of the deepest that kept it and the shallowest that did not; three good windows just below that limit raise it by one,
// for devices become faster too. Pure: it is told of windows and says what comes next.
#pragma once
#include <cstdint>

namespace fathom::run::watch {

class DepthSearch {
 public:
  enum class Next : std::uint8_t {
    go_on,   // at depth(), which may be deeper than before
    drain,   // depth() is shallower: what is in flight comes back first, and tells nothing
    settle,  // the depth is found: drain, clear what was counted, and one more window
    over,    // that window is over
    failed,  // not even a queue of one keeps it
  };

  // percentile: share of a window's I/Os, in percent, that have to keep the target. whole_run: the depth may be found,
  // and the search goes on.
  DepthSearch(std::uint32_t deepest, double percentile, bool whole_run)
      : percentile_(percentile), whole_run_(whole_run), deepest_(deepest), high_(deepest) {}

  std::uint32_t depth() const { return depth_; }
  // One late I/O is a miss, and fails a queue of one.
  bool strict() const { return percentile_ >= 100; }
  // late: of the window's ios.
  Next window_over(std::uint64_t ios, std::uint64_t late);
  // The target was missed before the window was over; of strict ones.
  Next missed();

 private:
  Next kept();

  double percentile_;
  bool whole_run_, settled_ = false;
  std::uint32_t deepest_, depth_ = 1, low_ = 1, high_;
  unsigned stable_ = 0;
};

}  // namespace fathom::run::watch
