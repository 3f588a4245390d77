// A keyed permutation of [0, n) in constant memory: random jobs visit every block exactly once a pass.
//
// Problem: fio keeps a bit a block (its random map) to know where it has been: 128 MiB for 4 TiB in 4 KiB blocks, a cache
// miss an I/O, and towards the end of a pass a search for a bit that is still clear.
//
// Choice: nothing is remembered; the block of number i is computed. A Feistel network over ceil(log2 n) bits is a bijection
// whatever its round function (Feistel, 1973; Luby and Rackoff, 1988); values that fall outside [0, n) are encrypted again until they fall
// inside (cycle walking; fewer than two rounds of it on average, because 2^bits < 2n). Six rounds of one multiplication
// each: far from a cipher, and enough that the tests of tests/pattern see no order in it. The two halves may differ by
// one bit.
//
// What reads a pass back needs no list either: the same key gives the same order. Thread rule: immutable, share freely.
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
  // The high bits of a product depend on every bit of its factor, so a half is the top of the product.
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
