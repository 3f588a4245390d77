// Combined Tausworthe generators, for random_generator=tausworthe and tausworthe64: the same kind as fio's, with
// different numbers. A component is a shift register with a primitive trinomial as feedback polynomial. The lengths of
// the components are co-prime, so the period of their sum modulo 2 is the product of their periods.
// Sources: P. L'Ecuyer, "Maximally Equidistributed Combined Tausworthe Generators", Math. Comp. 65 (1996), figure 1
// (taus88: three components, period about 2^88, 32 bits per number); the same, "Tables of Maximally-Equidistributed
// Combined LFSR Generators", Math. Comp. 68 (1999) (lfsr258: five components, period about 2^258, 64 bits per number).
// Thread rule: one owner.
#pragma once
#include <cstdint>

#include "base/prng.h"

namespace fathom::pattern {

// One component: Length bits of the word's upper part, x^Length + x^Middle + 1, Step positions at a time.
template <class Word, unsigned Length, unsigned Middle, unsigned Step>
constexpr Word tausworthe_step(Word state) {
  constexpr unsigned kBits = 8 * sizeof(Word);
  constexpr Word kUsed = static_cast<Word>(~Word{0} << (kBits - Length));
  const Word feedback = static_cast<Word>((static_cast<Word>(state << Middle) ^ state) >> (Length - Step));
  return static_cast<Word>((state & kUsed) << Step) ^ feedback;
}

class Taus88 {
 public:
  static constexpr unsigned kBits = 32;
  explicit constexpr Taus88(std::uint64_t seed = 1) {
    for (auto& word : s_) word = static_cast<std::uint32_t>(base::splitmix64(seed)) | 16;
  }
  constexpr Taus88(std::uint32_t a, std::uint32_t b, std::uint32_t c) : s_{a, b, c} {}
  constexpr std::uint32_t next() {
    s_[0] = tausworthe_step<std::uint32_t, 31, 13, 12>(s_[0]);
    s_[1] = tausworthe_step<std::uint32_t, 29, 2, 4>(s_[1]);
    s_[2] = tausworthe_step<std::uint32_t, 28, 3, 17>(s_[2]);
    return s_[0] ^ s_[1] ^ s_[2];
  }
  // Uniform in [0, bound), bound at most 2^32.
  constexpr std::uint64_t below(std::uint64_t bound) { return (std::uint64_t{next()} * bound) >> 32; }

 private:
  std::uint32_t s_[3]{};
};

class Lfsr258 {
 public:
  static constexpr unsigned kBits = 64;
  explicit constexpr Lfsr258(std::uint64_t seed = 1) {
    for (auto& word : s_) word = base::splitmix64(seed) | 1ull << 24;
  }
  constexpr Lfsr258(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d, std::uint64_t e)
      : s_{a, b, c, d, e} {}
  constexpr std::uint64_t next() {
    s_[0] = tausworthe_step<std::uint64_t, 63, 1, 10>(s_[0]);
    s_[1] = tausworthe_step<std::uint64_t, 55, 24, 5>(s_[1]);
    s_[2] = tausworthe_step<std::uint64_t, 52, 3, 29>(s_[2]);
    s_[3] = tausworthe_step<std::uint64_t, 47, 5, 23>(s_[3]);
    s_[4] = tausworthe_step<std::uint64_t, 41, 3, 8>(s_[4]);
    return s_[0] ^ s_[1] ^ s_[2] ^ s_[3] ^ s_[4];
  }
  constexpr std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t s_[5]{};
};

}  // namespace fathom::pattern
