// The mean of twelve uniforms over ranks 0..n-1 (Irwin-Hall of order 12, Bates): a bell around n/2 with a standard
// deviation of n/12. It never leaves the range, so no draw is repeated. pmbench calls it normal_ih. Six draws of 64
// bits, two halves each, no division. Thread rule: immutable, share freely.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/prng.h"

namespace fathom::pattern::draws {

class IrwinHall {
 public:
  // n in [1, 2^52].
  explicit IrwinHall(std::uint64_t n) : n_(std::max<std::uint64_t>(n, 1)) {}
  std::uint64_t operator()(base::Prng& prng) const {
    std::uint64_t sum = 0;  // below 12 * 2^32
    for (int i = 0; i < 6; ++i) {
      const std::uint64_t draw = prng.next();
      sum += (draw >> 32) + (draw & 0xffffffff);
    }
    // Two sums differ by 1 / (12 * 2^32) of the range; the draw below fills that gap, for ranges beyond 2^32.
    const auto scaled = static_cast<unsigned __int128>(sum << 8 | prng.next() >> 56) * n_;
    return static_cast<std::uint64_t>((scaled >> 40) / 12);
  }

 private:
  std::uint64_t n_;
};

}  // namespace fathom::pattern::draws
