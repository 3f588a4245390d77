// Detects whether a clock moved during a run. It compares the clock with a reference regularly. Between two successive
// checks, the clock may advance only as its conversion predicts, plus or minus the allowance. A larger difference is a
// jump (a suspended or restored machine, a clock that was set). If successive checks miss by one ratio, it is another
// rate (a virtual machine that migrated to a host with a counter of another speed). A delayed check allows more and can
// never make a clock wrong (bracket.h). Jumps below the allowance are not seen individually; their sum is in the drift
// (drift.h). Thread rule: one thread at a time.
#pragma once
#include <optional>

#include "clock/sources/bracket.h"

namespace fathom::clock {

struct Moved {
  unsigned jumps = 0;
  double largest_jump_ns = 0;  // with its sign: above 0, the clock went ahead of its reference
  double first_jump_s = 0;     // since the first check
  double off_rate_s = 0;       // time at another rate
  double off_rate_ppm = 0;     // the farthest of these from the conversion's rate
  double net_ns = 0;           // total error of the clock from both causes
  double watched_s = 0;        // from the first check to the last
  // One rate throughout, the conversion's or another.
  bool steady() const { return jumps == 0 && (off_rate_s == 0 || off_rate_s > 0.9 * watched_s); }
};

class ClockWatch {
 public:
  struct Allowance {
    double ns = 0, ppm = 0;  // allowed miss between two checks, and per time between them
  };
  ClockWatch(const sources::Conversion& conversion, Allowance allowed)
      : ns_per_tick_(1e9 / conversion.ticks_per_second()), allowed_(allowed) {}
  void look(const sources::Bracket& bracket);
  Moved moved() const;

 private:
  // A miss is a jump unless the next check misses by the same ratio.
  struct Miss {
    double ns, ppm, length_s, at_s;
    bool rate;  // the next check missed by the same ratio
  };
  void book(double miss_ns, double length_ns, double at_s);
  static void settle(const Miss& miss, Moved& into);

  double ns_per_tick_;
  Allowance allowed_;
  std::optional<sources::Bracket> first_, last_;
  std::optional<Miss> miss_;
  Moved moved_;
};

// The most precise of a few brackets.
template <class Read>
sources::Bracket narrowest_of(unsigned readings, const Read& read) {
  auto best = read();
  while (--readings > 0)
    if (const auto next = read(); next.after_ns - next.before_ns < best.after_ns - best.before_ns) best = next;
  return best;
}

}  // namespace fathom::clock
