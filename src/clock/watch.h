// Whether a clock moved while a run went on: it is compared with a reference every now and then, and two looks in a row
// allow it only what its conversion says, give or take the allowance. What is beyond that is a jump (a suspended or
// restored machine, a clock that was set) or, when looks in a row miss by one ratio, another rate (a virtual machine
// that migrated to a host whose counter runs at another speed). A look that was delayed allows more and can never make
// a clock wrong (bracket.h). Jumps below the allowance are not seen one by one; their sum is in the drift (drift.h).
// Thread rule: one thread at a time.
#pragma once
#include <optional>

#include "clock/sources/bracket.h"

namespace fathom::clock {

struct Moved {
  unsigned jumps = 0;
  double largest_jump_ns = 0;  // with its sign: above 0 the clock went ahead of its reference
  double first_jump_s = 0;     // since the first look
  double off_rate_s = 0;       // how long it ran at another rate
  double off_rate_ppm = 0;     // the farthest of these from the conversion's
  double net_ns = 0;           // how far it is from where it ought to be, by both
  double watched_s = 0;        // from the first look to the last
  // One rate throughout, be it the conversion's or not.
  bool steady() const { return jumps == 0 && (off_rate_s == 0 || off_rate_s > 0.9 * watched_s); }
};

class ClockWatch {
 public:
  struct Allowance {
    double ns = 0, ppm = 0;  // that two looks may miss by, and of the time between them
  };
  ClockWatch(const sources::Conversion& conversion, Allowance allowed)
      : ns_per_tick_(1e9 / conversion.ticks_per_second()), allowed_(allowed) {}
  void look(const sources::Bracket& bracket);
  Moved moved() const;

 private:
  // A miss that is a jump unless the next look misses by the same ratio.
  struct Miss {
    double ns, ppm, length_s, at_s;
    bool rate;  // it did
  };
  void book(double miss_ns, double length_ns, double at_s);
  static void settle(const Miss& miss, Moved& into);

  double ns_per_tick_;
  Allowance allowed_;
  std::optional<sources::Bracket> first_, last_;
  std::optional<Miss> miss_;
  Moved moved_;
};

// The one of a few brackets that says most.
template <class Read>
sources::Bracket narrowest_of(unsigned readings, const Read& read) {
  auto best = read();
  while (--readings > 0)
    if (const auto next = read(); next.after_ns - next.before_ns < best.after_ns - best.before_ns) best = next;
  return best;
}

}  // namespace fathom::clock
