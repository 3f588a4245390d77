// A pattern against one that is put together byte by byte.
#include "verify/pattern_bytes.h"

#include <gtest/gtest.h>

#include <cstring>

#include "verify/blocks.h"

namespace fathom::verify {
namespace {

std::byte wanted_at(std::string_view pattern, std::span<const std::size_t> places, std::uint64_t interval,
                    std::uint64_t io_offset, std::size_t at) {
  const std::size_t behind = interval == 0 ? at : at % interval;
  const std::size_t in = behind % pattern.size();
  for (const std::size_t place : places)
    if (in >= place && in < place + 8)
      return static_cast<std::byte>((io_offset + at - behind) >> (8 * (in - place)) & 0xff);
  return static_cast<std::byte>(pattern[in]);
}

TEST(PatternBytes, FillMatchesABytewiseVersion) {
  const std::string long_one(5000, 'l'), text = "ab01234567c76543210";
  const std::size_t places[] = {2, 11};
  for (const auto& pattern : {std::string("x"), text, long_one})
    for (const std::uint64_t interval : {0, 7, 512, 1000, 5001}) {
      const auto used = pattern.size() == 1 ? std::span<const std::size_t>() : std::span<const std::size_t>(places);
      auto made = PatternBytes::make(pattern, used, interval);
      ASSERT_TRUE(made.ok());
      std::vector<std::byte> io(12345);
      made->fill(io, 0x123456789a000);
      for (std::size_t at = 0; at < io.size(); ++at)
        ASSERT_EQ(io[at], wanted_at(pattern, used, interval, 0x123456789a000, at)) << at << " of " << interval;
      EXPECT_FALSE(made->check(std::span(io).subspan(300, 9000), 300, 0x123456789a000));
    }
}

TEST(PatternBytes, TheFirstDifferenceIsReported) {
  auto pattern = PatternBytes::make("abcd");
  std::vector<std::byte> io(10000);
  pattern->fill(io, 0);
  io[9001] = std::byte{'z'};
  io[9500] = std::byte{'z'};
  const auto found = pattern->check(std::span(io).subspan(40), 40, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at, 8961u);
  EXPECT_EQ(found->found, std::byte{'z'});
  EXPECT_EQ(found->wanted, std::byte{'b'});
}

TEST(PatternBytes, AnotherOffsetIsDetected) {
  const std::size_t place[] = {0};
  auto pattern = PatternBytes::make("01234567", place);
  std::vector<std::byte> io(64);
  pattern->fill(io, 4096);
  EXPECT_FALSE(pattern->check(io, 0, 4096));
  EXPECT_EQ(pattern->check(io, 0, 8192)->at, 1u);
}

TEST(PatternBytes, InvalidPatternsAreRefused) {
  const std::size_t outside[] = {1}, many[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_FALSE(PatternBytes::make("").ok());
  EXPECT_FALSE(PatternBytes::make("01234567", outside).ok());
  EXPECT_FALSE(PatternBytes::make(std::string(100, 'a'), many).ok());
  EXPECT_TRUE(PatternBytes::make(std::string(100, 'a'), std::span(many).first(8)).ok());
}

}  // namespace
}  // namespace fathom::verify
