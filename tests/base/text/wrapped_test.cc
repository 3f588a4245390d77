// Lines are broken at spaces, none is too wide where it can be helped, and nothing is lost.
#include "base/text/wrapped.h"

#include <gtest/gtest.h>

#include <string>

namespace fathom::base::text {
namespace {

TEST(Wrapped, LeavesWhatFits) {
  EXPECT_EQ(wrapped("", 10), "");
  EXPECT_EQ(wrapped("0123456789\n\n  0123 567\n", 10), "0123456789\n\n  0123 567\n");
  EXPECT_EQ(wrapped("no newline", 10), "no newline");
}

TEST(Wrapped, BreaksAtTheLastSpaceThatFitsAndGoesOnFourDeeper) {
  EXPECT_EQ(wrapped("  one two three four\n", 13), "  one two\n      three\n      four\n");
  EXPECT_EQ(wrapped("a 34567890 b\n", 10), "a 34567890\n    b\n") << "the space behind a full line is no column";
  EXPECT_EQ(wrapped("a  bbbbbbbbb\n", 5), "a \n  bbbbbbbbb\n");
}

TEST(Wrapped, AWordThatIsTooWideStaysWhole) {
  EXPECT_EQ(wrapped("0123456789 ab\n", 5), "0123456789\n  ab\n");
  EXPECT_EQ(wrapped("  0123456789\n", 5), "  0123456789\n");
}

TEST(Wrapped, CountsCharactersAndNotBytes) {
  EXPECT_EQ(wrapped("µµµµ µµµ\n", 8), "µµµµ µµµ\n");
  EXPECT_EQ(wrapped("µµµµ µµµµ\n", 8), "µµµµ\n    µµµµ\n");
}

TEST(Columns, AreCharactersAndNotBytes) {
  EXPECT_EQ(columns_of("2 µs ±1"), 7u);
  EXPECT_EQ(cut_at("µµµ", 2), "µµ");
  EXPECT_EQ(cut_at("µµµ", 3), "µµµ");
  EXPECT_EQ(cut_at("ab", 9), "ab");
  EXPECT_EQ(cut_at("ab", 0), "");
}

TEST(Wrapped, NothingIsLost) {
  const std::string text =
      "  delivered t: depth 31.8 of 32, full in 99 % of 20 samples; reads 49.9 % of 50.0; a/very/long/path\n";
  for (std::size_t columns = 1; columns < 120; ++columns) {
    std::string words = wrapped(text, columns), expected = text;
    for (std::string* each : {&words, &expected}) std::erase_if(*each, [](char c) { return c == ' ' || c == '\n'; });
    EXPECT_EQ(words, expected) << columns;
  }
}

}  // namespace
}  // namespace fathom::base::text
