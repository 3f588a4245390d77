// Every number of [0, n) once a pass, by a linear feedback shift register, for jobs that name it (random_generator=
// lfsr): neither map nor multiplication, a few instructions a number. A register of ceil(log2 n) bits with a primitive
// feedback polynomial goes through all its states but zero; zero is said first, and states of n and more are passed
// over (fewer than n, because 2^bits < 2n). Its neighbours are halves of each other, as is the kind's nature: the
// keyed permutation (permutation.h) is the better order, and costs more.
// Source: S. Golomb, "Shift Register Sequences", 1967; in Galois' form. Thread rule: one owner.
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

  // Nothing said, from another place of the cycle for another key.
  void begin(std::uint64_t key);
  std::uint64_t left() const { return left_; }
  bool next(std::uint64_t& number) {
    if (left_ == 0) return false;
    next_many(1, [&](std::size_t, std::uint64_t found) { number = found; });
    return true;
  }
  // count of them, no more than left(), handed to take(i, number) in order. A number that is passed over is handed out
  // too, and its place taken by the next: a jump that nobody can foresee costs more than the call of take.
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
  // What a register of so many bits, 2 to kMostBits, is fed back with.
  static std::uint64_t taps(unsigned bits);

 private:
  std::uint64_t n_ = 0, left_ = 0, taps_ = 3, state_ = 1;
  std::uint64_t mask_ = 3;
};

}  // namespace fathom::pattern
