// A normal distribution over ranks 0..n-1 around n/2, with a percentage of n as standard deviation. Values outside the
// range are drawn again (truncated normal). Thread rule: immutable, share freely.
#pragma once
#include <cstdint>

#include "base/prng.h"

namespace fathom::pattern::draws {

class Normal {
 public:
  Normal(double deviation_percent, std::uint64_t n);
  std::uint64_t operator()(base::Prng& prng) const;

 private:
  double n_, mean_, deviation_;
};

}  // namespace fathom::pattern::draws
