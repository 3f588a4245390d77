// Whatever a name holds, what is shown of it draws characters and does nothing else.
#include "base/text/printable.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fathom::base::text {
namespace {

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable("a\nb\rc\td\ae"), "a\\nb\\rc\\td\\x07e");
  EXPECT_EQ(printable(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m");                         // C1 as UTF-8
  EXPECT_EQ(printable("\x9B\xFF"), "\\x9b\\xff");  // and as a byte, which is no UTF-8
}

TEST(Printable, OrdinaryTextIsUnchanged) {
  for (const char* text : {"", "/data/a b", "C:\\x", "µ ± \xC2\xA0 \xE2\x82\xAC \xF0\x9F\x98\x80"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_lines(text), text);
  }
  EXPECT_EQ(printable_lines("a\n\tb\rc"), "a\n\tb\\rc");
}

TEST(AsciiSigns, ReplaceOurOwnAndNoName) {
  EXPECT_EQ(with_ascii_signs("5 ± 1 ppm (±2), …, é"), "5 +- 1 ppm (+-2), ..., é");
}

RC_GTEST_PROP(PrintableProperty, NothingThatATerminalObeysAndAllOfItUtf8, (const std::string& text)) {
  const auto shown = printable(text);
  for (std::string_view left = shown; !left.empty();) {
    const auto length = utf8_length(left);
    RC_ASSERT(length > 0u);
    const auto c = static_cast<unsigned char>(left[0]);
    RC_ASSERT(c >= 0x20 && c != 0x7F);
    RC_ASSERT(!(c == 0xC2 && static_cast<unsigned char>(left[1]) < 0xA0));
    left.remove_prefix(length);
  }
  RC_ASSERT(printable(shown) == shown);
}

}  // namespace
}  // namespace fathom::base::text
