// 80/20: access_percent of the draws go to set_percent of the ranks 0..n-1, uniformly inside and outside. The hot set
// is one contiguous part of the ring 0..n-1, and can move. The seed alone determines each new place, so all users of
// one seed move to the same place. If half of the range or less is hot, a new place does not overlap the previous one.
// Two draws and one multiplication per sample. Thread rule: drawing is const; move() has one user.
#pragma once
#include <cstdint>

#include "base/prng.h"

namespace fathom::pattern {

class HotSet {
 public:
  // access_percent in [0, 100]; set_percent in (0, 100): rounded to whole ranks, at least one.
  HotSet(double access_percent, double set_percent, std::uint64_t n, std::uint64_t seed);

  struct Draw {
    std::uint64_t rank;
    std::uint64_t bits;  // the draw with the high bits that selected the rank
  };
  Draw operator()(base::Prng& prng) const {
    const bool hot = prng.next() >> 1 < hot_below_;
    const std::uint64_t bits = prng.next();
    const auto product = static_cast<unsigned __int128>(bits) * (hot ? hot_ranks_ : n_ - hot_ranks_);
    const std::uint64_t rank = start_ + (hot ? 0 : hot_ranks_) + static_cast<std::uint64_t>(product >> 64);
    return {rank >= n_ ? rank - n_ : rank, bits};
  }
  void move();
  std::uint64_t start() const { return start_; }
  std::uint64_t hot_ranks() const { return hot_ranks_; }

 private:
  std::uint64_t n_, hot_ranks_, hot_below_;  // hot_below_: share of 2^63
  std::uint64_t start_ = 0;
  base::Prng places_;
};

}  // namespace fathom::pattern
