// What a compressor makes of filled pages. The measure is entropy: of bytes at each place of a word, so that the trap
// of pmbench's fill (one random byte in four) shows, and of runs.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "paging/memory/region.h"

namespace fathom::paging::memory {
namespace {

constexpr std::size_t kPage = 4096;

std::vector<std::byte> pages(Fill fill, double percent, std::size_t count, std::uint64_t seed = 7) {
  std::vector<std::byte> bytes(count * kPage, std::byte{0xee});
  for (std::size_t i = 0; i < count; ++i) fill_page(bytes.data() + i * kPage, kPage, fill, percent, i, seed);
  return bytes;
}

// Bits in a byte, of the bytes at begin, begin + step, ...
double entropy(const std::vector<std::byte>& bytes, std::size_t begin, std::size_t step) {
  std::array<double, 256> counts{};
  double n = 0;
  for (std::size_t i = begin; i < bytes.size(); i += step, ++n) ++counts[std::to_integer<unsigned>(bytes[i])];
  double bits = 0;
  for (const double c : counts) bits -= c > 0 ? c / n * std::log2(c / n) : 0;
  return bits;
}

std::size_t zeros_at_end(const std::byte* page) {
  std::size_t n = 0;
  while (n < kPage && page[kPage - 1 - n] == std::byte{0}) ++n;
  return n;
}

TEST(FillPage, every_byte_of_a_random_word_is_random) {
  const auto bytes = pages(Fill::random, 0, 64);
  for (std::size_t place = 0; place < 8; ++place) EXPECT_GT(entropy(bytes, place, 8), 7.98) << place;
}

TEST(FillPage, random_words_are_unique_within_and_between_pages) {
  const auto bytes = pages(Fill::random, 0, 64);
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    EXPECT_TRUE(seen.insert(word).second) << i;
  }
}

TEST(FillPage, bytes_depend_on_page_and_seed_only) {
  EXPECT_EQ(pages(Fill::random, 0, 4), pages(Fill::random, 0, 4));
  EXPECT_NE(pages(Fill::random, 0, 4), pages(Fill::random, 0, 4, 8));
}

TEST(FillPage, a_compressible_page_ends_with_its_percentage_of_zeros) {
  for (const double percent : {0.0, 25.0, 50.0, 75.0, 100.0}) {
    const auto bytes = pages(Fill::compressible, percent, 16);
    for (std::size_t i = 0; i < 16; ++i) {
      const auto zeros = static_cast<double>(zeros_at_end(bytes.data() + i * kPage));
      EXPECT_NEAR(zeros / kPage * 100, percent, 0.3) << percent;
    }
  }
}

// pmbench's own numbers, by the description of its generator in another language: the last byte of each 31-bit number
// in the first of four, one stream over all pages, whatever the seed.
TEST(FillPage, legacy_writes_what_pmbench_writes) {
  const auto bytes = pages(Fill::legacy, 0, 2, 99);
  const std::vector<int> first = {0xd1, 0xbd, 0x69, 0x31, 0x38, 0x29, 0x7d, 0x76}, second = {0xa5, 0x9a, 0x19, 0x75},
                         far = {0x4c, 0x49, 0x60, 0x67};
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(std::to_integer<int>(bytes[4 * i]), first[i]) << i;
  for (std::size_t i = 0; i < second.size(); ++i) EXPECT_EQ(std::to_integer<int>(bytes[kPage + 4 * i]), second[i]) << i;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (i % 4 != 0) {
      ASSERT_EQ(bytes[i], std::byte{0xee}) << "the other three stay";
    }
  std::vector<std::byte> page(kPage);
  fill_page(page.data(), kPage, Fill::legacy, 0, 1000, 7);
  for (std::size_t i = 0; i < far.size(); ++i) EXPECT_EQ(std::to_integer<int>(page[4 * i]), far[i]) << i;
}

TEST(FillPage, zero_writes_zeros_and_none_writes_nothing) {
  const auto zeros = pages(Fill::zero, 0, 1), none = pages(Fill::none, 0, 1);
  EXPECT_EQ(zeros_at_end(zeros.data()), kPage);
  EXPECT_EQ(none[0], std::byte{0xee});
  EXPECT_EQ(none[kPage - 1], std::byte{0xee});
}

}  // namespace
}  // namespace fathom::paging::memory
