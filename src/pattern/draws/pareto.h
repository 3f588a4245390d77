// fio's Pareto: a fraction 1 - h of the I/Os goes to the first fraction h of the ranks 0..n-1, at every scale (80/20
// for h = 0.2): rank = n * u^(log h / log(1 - h)). Thread rule: immutable, share freely.
#pragma once
#include <cstdint>

#include "base/prng.h"

namespace fathom::pattern::draws {

class Pareto {
 public:
  // h in (0, 1).
  Pareto(double h, std::uint64_t n);
  std::uint64_t operator()(base::Prng& prng) const;

 private:
  double power_;
  double n_;
};

}  // namespace fathom::pattern::draws
