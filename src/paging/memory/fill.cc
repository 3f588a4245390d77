// A compressing swap device stores what the pages' content allows. pmbench's fill keeps one byte of four from its
// generator, and an entropy coder reduces such pages to 0.39. Here every word has 64 random bits, so that no coder can
// compress it. The zeros of a compressible page are one run at its end. All compressors of the kernel (lzo-rle, lz4,
// zstd) store such a run in a few bytes. So the remaining share is the requested one.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/prng.h"
#include "paging/memory/region.h"
#include "paging/sources/legacy.h"

namespace fathom::paging::memory {
namespace {

std::size_t random_bytes(std::size_t bytes, Fill fill, double percent) {
  if (fill == Fill::random) return bytes;
  const double kept = static_cast<double>(bytes) * (1 - std::clamp(percent, 0.0, 100.0) / 100);
  return static_cast<std::size_t>(std::llround(kept)) & ~std::size_t{7};
}

// pmbench uses one random stream over the whole map, with a fixed seed. It keeps the last byte of each number in the
// first of four bytes; the other three are unchanged.
constexpr std::uint64_t kPmbenchSeed = 0x0ddfadedbeefd00d;
constexpr std::size_t kPmbenchStep = 4;

void fill_as_pmbench(std::byte* page, std::size_t bytes, std::uint64_t page_number) {
  sources::Lcg random(kPmbenchSeed);
  random.skip(page_number * (bytes / kPmbenchStep));
  for (std::size_t at = 0; at < bytes; at += kPmbenchStep) page[at] = static_cast<std::byte>(random.next());
}

}  // namespace

void fill_page(std::byte* page, std::size_t bytes, Fill fill, double percent, std::uint64_t page_number,
               std::uint64_t seed) {
  if (fill == Fill::none) return;
  if (fill == Fill::legacy) return fill_as_pmbench(page, bytes, page_number);
  const std::size_t random = fill == Fill::zero ? 0 : random_bytes(bytes, fill, percent);
  std::uint64_t state = seed ^ (page_number * 0xd1342543de82ef95ull);
  base::Prng prng(base::splitmix64(state));
  for (std::size_t at = 0; at + 8 <= random; at += 8) {
    const std::uint64_t word = prng.next();
    std::memcpy(page + at, &word, sizeof word);
  }
  std::memset(page + random, 0, bytes - random);
}

}  // namespace fathom::paging::memory
