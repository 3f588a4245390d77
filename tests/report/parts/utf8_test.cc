// Texts from outside in documents: what a format gives a meaning is quoted or escaped, and nothing else changes.
#include "report/parts/utf8.h"

#include <gtest/gtest.h>

namespace fathom::report::parts {
namespace {

TEST(CsvText, QuotesOnlyWhatRfc4180Quotes) {
  EXPECT_EQ(csv_text(""), "");
  EXPECT_EQ(csv_text("a b;c"), "a b;c");
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_text("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_text("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_text("\r"), "\"\r\"");
}

TEST(MarkdownText, EscapesWhatGitHubReads) {
  EXPECT_EQ(markdown_text("rand read 4k"), "rand read 4k");
  EXPECT_EQ(markdown_text("a|b"), "a\\|b");
  EXPECT_EQ(markdown_text("<b>_x_*#~&`[]{}"), "\\<b\\>\\_x\\_\\*\\#\\~\\&\\`\\[\\]\\{\\}");
  EXPECT_EQ(markdown_text("a\nb\x1b"), "a\\\\nb\\\\x1b") << "one line, without control characters";
}

}  // namespace
}  // namespace fathom::report::parts
