// Key schedule of the Feistel network: independent round keys from splitmix64, multipliers odd so that no bit is lost.
#include "pattern/permutation.h"

#include <algorithm>
#include <bit>

#include "base/prng.h"

namespace fathom::pattern {

Permutation::Permutation(std::uint64_t n, std::uint64_t key) : n_(std::max<std::uint64_t>(n, 1)) {
  const unsigned bits = std::max(2u, static_cast<unsigned>(std::bit_width(n_ - 1)));
  low_bits_ = bits / 2;
  low_mask_ = (1ull << low_bits_) - 1;
  low_shift_ = 64 - low_bits_;
  high_shift_ = 64 - (bits - low_bits_);
  for (RoundKey& round : keys_) round = {base::splitmix64(key), base::splitmix64(key) | 1};
}

}  // namespace fathom::pattern
