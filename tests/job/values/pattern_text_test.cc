// Patterns of bytes, as fio reads them.
#include "job/values/pattern_text.h"

#include <gtest/gtest.h>

#include "job/support.h"

namespace fathom::job::values {
namespace {

base::Expected<std::vector<fields::PatternPart>> pattern(const std::string& text) {
  const auto parsed = command({"--name=a", "--filename=f", "--size=1m", "--rw=write", "--buffer_pattern=" + text});
  if (!parsed) return parsed.error();
  return parsed->jobs.jobs.at(0).of<fields::ContentOptions>().pattern_parts;
}
std::string bytes(const std::string& text) {
  const auto parts = pattern(text);
  if (!parts || parts->size() != 1 || parts->at(0).is_file) return "?";
  return parts->at(0).text;
}
using std::string_literals::operator""s;

// effect: buffer_pattern
TEST(PatternText, StringsHexAndNumbersBecomeBytes) {
  EXPECT_EQ(bytes("\"a b\""), "a b");
  EXPECT_EQ(bytes("0xdeadbeef"), "\xde\xad\xbe\xef");
  EXPECT_EQ(bytes("0xabc"), "\x0a\xbc"s);
  EXPECT_EQ(bytes("66"), "B");
  EXPECT_EQ(bytes("256"), "\0\1"s);
  EXPECT_EQ(bytes("0"), "\0"s);
  EXPECT_EQ(bytes("-10"), "\xf6\xff\xff\xff");
  EXPECT_EQ(bytes("0xff0x1"), "\xff\x01");
  EXPECT_EQ(bytes("120x1"), "\x0c\x01");
  EXPECT_EQ(bytes("\"ab\"0x41-1"), "abA\xff\xff\xff\xff");
}

TEST(PatternText, AQuotedFileNameIsKept) {
  const auto parts = pattern("0x01'some/file'\"x\"");
  ASSERT_TRUE(parts.ok());
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_TRUE(parts->at(1).is_file);
  EXPECT_EQ(parts->at(1).text, "some/file");
  EXPECT_EQ(parts->at(2).text, "x");
}

TEST(PatternText, InvalidPatternsAreRefused) {
  for (const char* text : {"abcd", "12abc", "\"\"", "0x", "4294967296", "\"open", "'open", "", "''"})
    EXPECT_FALSE(pattern(text).ok()) << text;
}

}  // namespace
}  // namespace fathom::job::values
