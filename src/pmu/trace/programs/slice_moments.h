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

class SliceMoments {
 public:
  static constexpr std::uint64_t kRound_ns = 500'000'000;

  // The half seconds are counted from `begin_ns`; the slice of the first begins at once.
  SliceMoments(std::uint64_t seed, std::uint64_t begin_ns) : prng_(seed), round_ns_(begin_ns) {}

  // now: the slice before is over. One that took long has eaten the half seconds that are over.
  std::uint64_t next(std::uint64_t now_ns) {
    do round_ns_ += kRound_ns;
    while (round_ns_ + kRound_ns <= now_ns);
    const std::uint64_t moment = round_ns_ + prng_.below(kRound_ns);
    return moment > now_ns ? moment : now_ns;
  }

 private:
  base::Prng prng_;
  std::uint64_t round_ns_;
};

}  // namespace fathom::pmu::trace::programs
