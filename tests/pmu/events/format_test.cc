// The small languages of sysfs: bit ranges, lists of CPUs, terms, numbers.
#include "pmu/events/format.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/prng.h"

namespace fathom::pmu::events {
namespace {

using Ranges = std::vector<std::pair<int, int>>;

TEST(PmuFormat, ParsesSingleSplitAndMultiWordRanges) {
  const auto plain = parse_format("config:0-7");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->word, 0);
  EXPECT_EQ(plain->ranges, (Ranges{{0, 7}}));
  const auto split = parse_format("config1:0-7,32-35,63\n");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->word, 1);
  EXPECT_EQ(split->ranges, (Ranges{{0, 7}, {32, 35}, {63, 63}}));
  EXPECT_EQ(split->bits(), 13);
  EXPECT_EQ(parse_format("config3:0-63")->bits(), 64);
  EXPECT_EQ(parse_format("config2:21")->ranges, (Ranges{{21, 21}}));
}

TEST(PmuFormat, TextOfGivesBackWhatWasParsed) {
  for (const char* text : {"config:0-7", "config1:0-7,32-35,63", "config2:21", "config3:0-63", "config4:0-63"})
    EXPECT_EQ(text_of(*parse_format(text)), text);
}

TEST(PmuFormat, RejectsMalformedText) {
  for (const auto text : {"", "config", "config:", "config5:0-7", "config:7-0", "config:0-64", "config:-1",
                          "config:0-7,", "config:x", "config:0-63,0-63", "cfg:0"})
    EXPECT_FALSE(parse_format(text)) << text;
}

TEST(PmuFormat, PlaceBitsFillsTheLowestRangeFirst) {
  std::uint64_t config[kConfigWords] = {};
  ASSERT_TRUE(place_bits(*parse_format("config:0-7,32-37"), 0x81f, config));
  EXPECT_EQ(config[0], 0x80000001full) << "amd_df: event 0x81f";
  ASSERT_TRUE(place_bits(*parse_format("config:8-15,24-27"), 0x7fe, config));
  EXPECT_EQ(config[0], 0x80700fe1full) << "and its umask beside it";
  ASSERT_TRUE(place_bits(*parse_format("config2:0-63"), ~0ull, config));
  EXPECT_EQ(config[2], ~0ull);
}

TEST(PmuFormat, PlaceBitsRejectsAValueThatDoesNotFit) {
  std::uint64_t config[kConfigWords] = {5, 0, 0, 0};
  EXPECT_FALSE(place_bits(*parse_format("config:20-27"), 256, config));
  EXPECT_EQ(config[0], 5u);
}

// Whatever the ranges: as many bits arrive as the value has, and nothing outside the ranges is touched.
TEST(PmuFormat, PlaceBitsKeepsEveryBitWithinTheRanges) {
  base::Prng random(7);
  for (int round = 0; round < 2000; ++round) {
    Format format;
    std::uint64_t inside = 0;
    int at = static_cast<int>(random.next() % 8);
    while (at < 64) {
      const int hi = std::min<int>(63, at + static_cast<int>(random.next() % 9));
      format.ranges.emplace_back(at, hi);
      for (int bit = at; bit <= hi; ++bit) inside |= 1ull << bit;
      at = hi + 2 + static_cast<int>(random.next() % 9);
    }
    const std::uint64_t value = format.bits() == 64 ? random.next() : random.next() & ((1ull << format.bits()) - 1);
    const std::uint64_t before = random.next();
    std::uint64_t config[kConfigWords] = {before, 1, 2, 3};
    ASSERT_TRUE(place_bits(format, value, config));
    EXPECT_EQ(config[0] & ~inside, before & ~inside);
    EXPECT_EQ(std::popcount(config[0] & inside), std::popcount(value));
    EXPECT_EQ(config[1], 1u);
  }
}

TEST(SplitTerms, IgnoresBlanksAroundTerms) {
  const auto terms = split_terms("eventid=0x21, type=0x1,edge");
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[1].name, "type");
  EXPECT_EQ(terms[1].value, "0x1");
  EXPECT_EQ(terms[2].name, "edge");
  EXPECT_TRUE(terms[2].value.empty());
  EXPECT_EQ(split_terms("").size(), 1u);
}

TEST(ParseNumber, AcceptsDecimalAndHexOnly) {
  EXPECT_EQ(parse_number("0x1F"), 31u);
  EXPECT_EQ(parse_number("18446744073709551615"), ~0ull);
  for (const auto text : {"", "0x", "18446744073709551616", "1k", "-1", " 1"}) EXPECT_FALSE(parse_number(text)) << text;
}

}  // namespace
}  // namespace fathom::pmu::events
