// Data that no compressor shortens. A compressing device treats an I/O by its content, so comparisons with fio must
// write the same content as fio. fio's fill is four interleaved streams of words. Each word is the previous one times
// an odd constant; the streams start at seed x 1, 2, 3 and 5. The fill is fast, and a compressor finds it random. It is
// not truly random: the zero bits at the low end of a first word stay in every word of its stream. fill_random writes
// truly random bits. No state: any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/prng.h"

namespace fathom::base {

// As fio: the product of two random 32-bit numbers, about two zero bits at the low end. Never 0: that would fill with
// zeros.
inline std::uint64_t draw_fill_seed(Prng& prng) {
  const std::uint64_t draws = prng.next();
  const std::uint64_t seed = (draws & 0xffffffff) * (draws >> 32);
  return seed == 0 ? 1 : seed;
}

namespace streams {

inline constexpr std::uint64_t kFactor = 0x61c8864680b583ebull;
using Pair = std::uint64_t __attribute__((vector_size(16)));

// One word of each stream. The ratios between the streams are constant, so one multiplication serves all four, and the
// others are additions: w and 2w are a pair, and twice that pair plus w is 3w and 5w.
inline void put(std::byte* out, std::uint64_t word) {
  const Pair twice = {word, word};
  const Pair first = twice + (twice & Pair{0, ~std::uint64_t{0}});
  const Pair second = first + first + twice;
  std::memcpy(out, &first, sizeof first);
  std::memcpy(out + sizeof first, &second, sizeof second);
}
inline constexpr std::size_t kRow = 2 * sizeof(Pair);

}  // namespace streams

// Two words of each stream per iteration, so that a multiplication need not wait for the previous one.
inline void fill_streams(std::span<std::byte> out, std::uint64_t seed) {
  using streams::kFactor, streams::kRow;
  std::uint64_t even = seed, odd = seed * kFactor;
  while (out.size() >= 2 * kRow) {
    streams::put(out.data(), even);
    streams::put(out.data() + kRow, odd);
    even *= kFactor * kFactor;
    odd *= kFactor * kFactor;
    out = out.subspan(2 * kRow);
  }
  if (out.empty()) return;
  std::byte rest[2 * kRow];
  streams::put(rest, even);
  streams::put(rest + kRow, odd);
  std::memcpy(out.data(), rest, out.size());
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
