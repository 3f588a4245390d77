// Bytes that no compressor shortens. What a device that compresses does with an I/O depends on what is in it, so who
// compares with fio has to write what fio writes: its fill is four interleaved streams of words, each word the one
// before times an odd constant, the streams starting at seed x 1, 2, 3 and 5. They are quick (a multiplication a word,
// four independent ones at a time) and for a compressor random, but not truly so: the zero bits at the low end of a
// first word stay in every word of its stream. fill_random has truly random bits. No state: any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/prng.h"

namespace fathom::base {

// As fio: two draws of 32 bits multiplied, about two zero bits at the low end. Never 0, which would fill with zeroes.
inline std::uint64_t draw_fill_seed(Prng& prng) {
  const std::uint64_t draws = prng.next();
  const std::uint64_t seed = (draws & 0xffffffff) * (draws >> 32);
  return seed == 0 ? 1 : seed;
}

inline void fill_streams(std::span<std::byte> out, std::uint64_t seed) {
  constexpr std::uint64_t kFactor = 0x61c8864680b583ebull;
  std::uint64_t words[4] = {seed, seed * 2, seed * 3, seed * 5};
  while (out.size() >= sizeof words) {
    std::memcpy(out.data(), words, sizeof words);
    for (auto& word : words) word *= kFactor;
    out = out.subspan(sizeof words);
  }
  if (!out.empty()) std::memcpy(out.data(), words, out.size());
}

inline void fill_random(std::span<std::byte> out, Prng& prng) {
  while (!out.empty()) {
    const std::uint64_t word = prng.next();
    const std::size_t n = out.size() < sizeof word ? out.size() : sizeof word;
    std::memcpy(out.data(), &word, n);
    out = out.subspan(n);
  }
}

}  // namespace fathom::base
