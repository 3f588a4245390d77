// The Pareto law with exponent a, bounded to ranks 0..n-1: density proportional to x^-(a+1) over [1, n+1), rank =
// floor(x) - 1, so P(rank k) is proportional to (k+1)^-a - (k+2)^-a, and every rank is possible. By inversion: one
// power per sample. (fio's law with a share as parameter is pattern/draws/pareto.h. pmbench bounds at n instead of n +
// 1, and so never draws the last rank.) Thread rule: immutable, share freely.
#pragma once
#include <cstdint>

#include "base/prng.h"

namespace fathom::pattern::draws {

class BoundedPareto {
 public:
  // exponent > 0.
  BoundedPareto(double exponent, std::uint64_t n);
  std::uint64_t operator()(base::Prng& prng) const;

 private:
  double power_, span_, last_;
};

}  // namespace fathom::pattern::draws
