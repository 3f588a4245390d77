// Every rank of 0..n-1 once per round, `stride` apart: 0 3 6 9 1 4 7 2 5 8 for n = 10 and stride 3 (pmbench's linear).
// No division. Thread rule: one user each.
#pragma once
#include <cstdint>

namespace fathom::pattern {

class Stride {
 public:
  // stride in [1, n]. first: the first rank, below n; the cyclic order stays the same.
  Stride(std::uint64_t stride, std::uint64_t n, std::uint64_t first = 0)
      : n_(n), stride_(stride), at_(first), phase_(first % stride) {}
  std::uint64_t operator()() {
    const std::uint64_t rank = at_;
    at_ += stride_;
    if (at_ >= n_) [[unlikely]] {
      if (++phase_ >= stride_) phase_ = 0;
      at_ = phase_;
    }
    return rank;
  }

 private:
  std::uint64_t n_, stride_, at_, phase_;
};

}  // namespace fathom::pattern
