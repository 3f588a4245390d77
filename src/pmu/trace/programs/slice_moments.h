// When the slices of a run begin: one in each half second, anywhere in it. Problem: a load that keeps time with the half
// seconds (0.5 s, 1 s, 7 s) is in the same part of its turn at each one's edge. Slices that had to end within theirs
// would hardly ever see the edges, and a stall that happens to lie there would be missing from every sum. Choice: a slice
// may begin at any moment of its half second, the last included, and reach into the next; where two would overlap, which
// is rare, the second begins when the first is over. Each moment of a load's turn is then as likely seen as any other.
// Pure.
#pragma once
#include <cstdint>

#include "base/prng.h"

namespace fathom::pmu::trace::programs {

// When slices begin, and how long those are waited for that began in one.
struct Rounds {
  std::uint64_t round_ns, gap_ns, drawn_ns;  // a slice a round, at a moment drawn of the last, after the gap
  std::uint64_t longest_end_ns;
};
inline constexpr std::uint64_t kSlice_ns = 50'000'000;
// Of a run that is watched in slices: moments of all of it, and few of them.
inline constexpr Rounds kOfARun{500'000'000, 0, 500'000'000, 5'000'000'000};
// What is measured is watching itself: each slice follows unwatched time that is at least as long, and nobody's I/O is
// of interest when it is over. Rounds begin when the slice before is over.
inline constexpr Rounds kOfPairs{0, 60'000'000, 80'000'000, 2'000'000};

class SliceMoments {
 public:
  // Rounds are counted from `begin_ns`; the slice of the first begins at once.
  SliceMoments(std::uint64_t seed, std::uint64_t begin_ns) : prng_(seed), round_ns_(begin_ns) {}

  // now: the slice before is over. One that took long has eaten the rounds that are over.
  std::uint64_t next(std::uint64_t now_ns, const Rounds& rounds = kOfARun) {
    if (rounds.round_ns == 0)
      round_ns_ = now_ns;
    else
      do round_ns_ += rounds.round_ns;
      while (round_ns_ + rounds.round_ns <= now_ns);
    const std::uint64_t moment = round_ns_ + rounds.gap_ns + prng_.below(rounds.drawn_ns);
    return moment > now_ns ? moment : now_ns;
  }

 private:
  base::Prng prng_;
  std::uint64_t round_ns_;
};

}  // namespace fathom::pmu::trace::programs
