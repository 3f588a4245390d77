// What is packed comes back whole, and what has to be cut keeps its remedy and its place.
#include "base/packed.h"

#include <gtest/gtest.h>

namespace fathom::base {
namespace {

Error mistake() {
  Error e;
  e.kind = ErrorKind::privilege;
  e.what = "open `a`";
  e.cause = std::string("a \0 and\na line", 14);
  e.help = "be somebody else";
  e.sys_errno = 13;
  e.place = SourcePlace{"a.fio", 7, 11, "directory=a", 1};
  e.also.push_back(e);
  return e;
}

TEST(Packed, AnErrorComesBackWhole) {
  const auto e = Unpacker(packed_within(4096, mistake())).error();
  EXPECT_EQ(e.kind, ErrorKind::privilege);
  EXPECT_EQ(e.what, mistake().what);
  EXPECT_EQ(e.cause, mistake().cause);
  EXPECT_EQ(e.help, mistake().help);
  EXPECT_EQ(e.sys_errno, 13);
  ASSERT_TRUE(e.place);
  EXPECT_EQ(e.place->column, 11);
  EXPECT_EQ(e.place->line_text, "directory=a");
  ASSERT_EQ(e.also.size(), 1u);
  EXPECT_EQ(e.also[0].place->line, 7);
}

TEST(Packed, AnErrorThatIsTooLongLosesItsQuotedLineFirst) {
  auto long_line = mistake();
  long_line.place->line_text.assign(3000, 'x');
  const auto e = Unpacker(packed_within(2048, long_line)).error();
  EXPECT_EQ(e.help, mistake().help);
  EXPECT_EQ(e.place->line, 7);
  EXPECT_TRUE(e.place->line_text.empty());
  EXPECT_TRUE(e.also.empty());
}

TEST(Packed, EverySentenceIsCutAndTheRemedyStays) {
  auto long_words = mistake();
  for (auto* text : {&long_words.what, &long_words.cause, &long_words.place->file}) text->assign(5000, 'x');
  for (const std::size_t most : {512u, 2048u}) {
    const auto bytes = packed_within(most, long_words);
    EXPECT_LE(bytes.size(), most);
    const auto e = Unpacker(bytes).error();
    EXPECT_EQ(e.help, mistake().help);
    EXPECT_EQ(e.place->line, 7);
    EXPECT_TRUE(e.what.ends_with("x...")) << e.what;
  }
}

TEST(Packed, ZeroBytesUnpackToNoError) {
  const std::string zeros(64, '\0');
  const auto e = Unpacker(zeros).error();
  EXPECT_TRUE(e.what.empty() && e.cause.empty() && !e.place && e.also.empty());
}

TEST(Packed, TruncatedBytesAreDetected) {
  const auto bytes = packed_within(4096, mistake());
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    Unpacker in(std::string_view(bytes).substr(0, kept));
    (void)in.error();
    EXPECT_TRUE(in.torn()) << kept;
  }
}

}  // namespace
}  // namespace fathom::base
