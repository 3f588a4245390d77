// Every number of [0, n) once per pass, by a linear feedback shift register, for jobs with random_generator=lfsr. It
// needs neither map nor multiplication, and a few instructions per number. A register of ceil(log2 n) bits with a
// primitive feedback polynomial passes through all its states except zero. Zero comes first, and states of n or more
// are skipped (fewer than n, because 2^bits < 2n). Successive numbers are often halves of each other, as in any such
// register: the keyed permutation (permutation.h) has the better order, at a higher cost.
// Source: S. Golomb, "Shift Register Sequences", 1967; in Galois form. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fathom::pattern {

class Lfsr {
 public:
  static constexpr unsigned kMostBits = 53;
  Lfsr() = default;
  // n in [1, 2^53].
  explicit Lfsr(std::uint64_t n);

  // Restarts the pass. Another key starts at another place of the cycle.
  void begin(std::uint64_t key);
  std::uint64_t left() const { return left_; }
  bool next(std::uint64_t& number) {
    if (left_ == 0) return false;
    next_many(1, [&](std::size_t, std::uint64_t found) { number = found; });
    return true;
  }
  // Passes `count` numbers, at most left(), to take(i, number) in order. A skipped number is passed too, and the next
  // one overwrites it: an unpredictable jump costs more than the call of take.
  template <class Take>
  void next_many(std::size_t count, Take take) {
    std::uint64_t state = state_;
    const std::uint64_t n = n_, taps = taps_;
    std::size_t i = 0;
    if (count != 0 && left_ == n) take(i++, 0);
    while (i < count) {
      state = (state >> 1) ^ ((0 - (state & 1)) & taps);
      take(i, state);
      i += state < n ? 1 : 0;
    }
    state_ = state;
    left_ -= count;
  }
  // The feedback taps of a register with `bits` bits, 2 to kMostBits.
  static std::uint64_t taps(unsigned bits);

 private:
  std::uint64_t n_ = 0, left_ = 0, taps_ = 3, state_ = 1;
  std::uint64_t mask_ = 3;
};

}  // namespace fathom::pattern
