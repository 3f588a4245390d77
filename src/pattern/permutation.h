// A keyed permutation of [0, n) in constant memory: random jobs visit every block exactly once per pass.
//
// Problem: fio keeps one bit per block (its random map) to record visited blocks. This takes 128 MiB for 4 TiB in 4 KiB
// blocks, a cache miss per I/O and, towards the end of a pass, a search for a clear bit.
//
// Choice: nothing is stored; block number i is computed. A Feistel network over ceil(log2 n) bits is a bijection for
// any round function (Feistel, 1973; Luby and Rackoff, 1988). Values outside [0, n) are encrypted again until they are
// inside (cycle walking: fewer than two encryptions on average, because 2^bits < 2n). Six rounds have one
// multiplication each: far from a cipher, but enough that the tests of tests/pattern find no order in it. The two
// halves may differ by one bit.
//
// Reading a pass back needs no list either: the same key gives the same order. Thread rule: immutable, share freely.
#pragma once
#include <array>
#include <cstdint>

namespace fathom::pattern {

class Permutation {
 public:
  // n in [1, 2^62].
  explicit Permutation(std::uint64_t n = 1, std::uint64_t key = 0);

  // index in [0, n) -> [0, n), each value once.
  std::uint64_t operator()(std::uint64_t index) const {
    do index = encrypt(index);
    while (index >= n_);
    return index;
  }
  std::uint64_t size() const { return n_; }

 private:
  struct RoundKey {
    std::uint64_t add = 0, multiply = 1;
    std::uint64_t mix(std::uint64_t half) const { return (half ^ add) * multiply; }
  };
  // The high bits of a product depend on every bit of its factor. Each half therefore uses the top of the product.
  std::uint64_t encrypt(std::uint64_t x) const {
    std::uint64_t high = x >> low_bits_, low = x & low_mask_;
    for (std::size_t round = 0; round < keys_.size(); round += 2) {
      high ^= keys_[round].mix(low) >> high_shift_;
      low ^= keys_[round + 1].mix(high) >> low_shift_;
    }
    return high << low_bits_ | low;
  }

  std::uint64_t n_;
  std::uint64_t low_mask_ = 0;
  unsigned low_bits_ = 1, high_shift_ = 63, low_shift_ = 63;
  std::array<RoundKey, 6> keys_;
};

}  // namespace fathom::pattern
