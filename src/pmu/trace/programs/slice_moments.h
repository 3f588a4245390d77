// When the slices of a run begin: one in each half second, anywhere in it. Problem: a load that is synchronous with the
// half seconds (0.5 s, 1 s, 7 s) is in the same phase at each edge. Slices that had to end within their half second
// would hardly ever see the edges, and every sum would miss a stall there. Choice: a slice may begin at any moment of
// its half second, the last included, and extend into the next. If two would overlap, which is rare, the second begins
// when the first is over. Each phase of a load is then equally likely to be seen. Pure.
#pragma once
#include <cstdint>

#include "base/prng.h"

namespace fathom::pmu::trace::programs {

// When slices begin, and how long to wait for I/Os that began in one.
struct Rounds {
  std::uint64_t round_ns, gap_ns, drawn_ns;  // one slice per round, at a random moment of the drawn_ns after the gap
  std::uint64_t longest_end_ns;
};
inline constexpr std::uint64_t kSlice_ns = 50'000'000;
// For a run that is traced in slices: moments from all of it, and few of them.
inline constexpr Rounds kOfARun{500'000'000, 0, 500'000'000, 5'000'000'000};
// For a measurement of the probe overhead: each slice follows untraced time that is at least as long, and completions
// after the slice do not matter. A round begins when the previous slice is over.
inline constexpr Rounds kOfPairs{0, 60'000'000, 80'000'000, 2'000'000};

class SliceMoments {
 public:
  // Rounds are counted from `begin_ns`; the slice of the first begins at once.
  SliceMoments(std::uint64_t seed, std::uint64_t begin_ns) : prng_(seed), round_ns_(begin_ns) {}

  // now: the previous slice is over. A long slice uses up the rounds that have passed.
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
