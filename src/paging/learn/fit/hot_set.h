// Whether and how often the hot set moves. Hot: the fifth of the used pages with the highest counts, in the windows
// before and after each moment. Noise alone changes some of them. A change beyond noise is movement, and a move is a
// run of windows with much of it. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "paging/learn/fit/zipf_fit.h"

namespace fathom::paging::learn::fit {

// counts[window][page]; a page added late has no value in earlier windows.
using WindowCounts = std::vector<std::vector<std::uint16_t>>;

struct HotMovement {
  bool known = false;             // false: too few windows, or noise would hide a full move
  bool faster_than_seen = false;  // it moves in nearly every window
  unsigned moves = 0;
  double every_s = 0;                           // 0: it does not move
  double share = 0;                             // of the hot set that changes, 0..1
  double noise_overlap = 0;                     // of the hot sets of adjacent windows between moves
  double jaccard_noise = 0, jaccard_least = 1;  // |A and B| / |A or B|: between moves, and the lowest seen
};
inline constexpr double kHotShare = 0.2;

// expected: overlap that adjacent windows would have without movement; 0: unknown.
HotMovement find_movement(const WindowCounts& counts, double window_s, double expected = 0);

// This expected overlap, from random draws of the fitted law, for windows of `intervals` intervals.
double expected_overlap(const ZipfFit& fit, unsigned intervals);

}  // namespace fathom::paging::learn::fit
