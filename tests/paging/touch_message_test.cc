// What a measuring process says arrives whole, or not at all.
#include <gtest/gtest.h>

#include "paging/worker_message.h"

namespace fathom::paging {
namespace {

base::Error planted_error() {
  base::Error e;
  e.kind = base::ErrorKind::refused;
  e.what = "map";
  e.cause = std::string("with a \0 and\na line", 18);
  e.help = "";
  e.sys_errno = 12;
  e.place = base::SourcePlace{"profile.txt", 3, 14, "zipf_theta x", 5};
  return e;
}

TEST(TouchMessage, ErrorAndFindingsComeBack) {
  const result::Finding first{"paging.thp", result::Severity::warning, "job", "seen 3", "do 4"};
  const result::Finding second{"paging.advice", result::Severity::note, "", "", ""};
  const auto read = decode(encode(first) + encode(planted_error()) + encode(second));
  ASSERT_EQ(read.findings.size(), 2u);
  EXPECT_EQ(read.findings[0].id, first.id);
  EXPECT_EQ(read.findings[0].severity, first.severity);
  EXPECT_EQ(read.findings[0].job, first.job);
  EXPECT_EQ(read.findings[0].evidence, first.evidence);
  EXPECT_EQ(read.findings[0].remedy, first.remedy);
  EXPECT_EQ(read.findings[1].id, second.id);
  ASSERT_TRUE(read.error.has_value());
  const auto want = planted_error();
  EXPECT_EQ(read.error->kind, want.kind);
  EXPECT_EQ(read.error->what, want.what);
  EXPECT_EQ(read.error->cause, want.cause);
  EXPECT_EQ(read.error->sys_errno, want.sys_errno);
  ASSERT_TRUE(read.error->place.has_value());
  EXPECT_EQ(read.error->place->file, want.place->file);
  EXPECT_EQ(read.error->place->line, want.place->line);
  EXPECT_EQ(read.error->place->column, want.place->column);
  EXPECT_EQ(read.error->place->line_text, want.place->line_text);
  EXPECT_EQ(read.error->place->length, want.place->length);
}

TEST(TouchMessage, TheFirstErrorCounts) {
  base::Error second;
  second.what = "later";
  EXPECT_EQ(decode(encode(planted_error()) + encode(second)).error->what, "map");
}

TEST(TouchMessage, ATornEndIsLeftOut) {
  const result::Finding finding{"a.b", result::Severity::note, "", "evidence", "remedy"};
  const std::string whole = encode(finding), torn = encode(planted_error());
  for (std::size_t kept = 0; kept < torn.size(); ++kept) {
    const auto read = decode(whole + torn.substr(0, kept));
    EXPECT_EQ(read.findings.size(), 1u) << kept;
    EXPECT_FALSE(read.error.has_value()) << kept;
  }
}

}  // namespace
}  // namespace fathom::paging
