// A working set of w ranks that moves through n places. Rank r has the only place p in the window [shift, shift + w)
// with p = r modulo w. A move by d places gives new places to the d ranks that leave the window, and keeps all others
// in place; the hottest ranks go first. Places wrap around the ring 0..n-1. Thread rule: placing is const; move() has
// one user.
#pragma once
#include <cstdint>

namespace fathom::pattern {

class MovingWindow {
 public:
  // w in [1, n]; step in [0, w]: number of ranks that get a new place per move.
  MovingWindow(std::uint64_t w, std::uint64_t n, std::uint64_t step) : w_(w), n_(n), step_(step) {}
  // rank < w.
  std::uint64_t operator()(std::uint64_t rank) const {
    const std::uint64_t place = base_ + (rank >= first_ ? rank - first_ : rank + w_ - first_);
    return place >= n_ ? place - n_ : place;
  }
  void move() {
    first_ = first_ + step_ >= w_ ? first_ + step_ - w_ : first_ + step_;
    base_ = base_ + step_ >= n_ ? base_ + step_ - n_ : base_ + step_;
  }

 private:
  std::uint64_t w_, n_, step_;
  std::uint64_t first_ = 0;  // shift modulo w: the rank at the start of the window
  std::uint64_t base_ = 0;   // shift modulo n
};

}  // namespace fathom::pattern
