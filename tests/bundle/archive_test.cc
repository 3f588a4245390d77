// Archives as fathom writes them, and archives that no honest program writes.
#include "bundle/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bundle/pack.h"
#include "bundle/raw_zip.h"

namespace fathom::bundle {
namespace {

using ::testing::HasSubstr;

std::string unpacked(const Archive& archive, const std::string& name) {
  std::string text;
  const auto wrong = archive.unpack(name, [&](std::string_view part) { text += part; });
  EXPECT_EQ(wrong, "") << name;
  return text;
}

void expect_refused(const std::string& bytes, const std::string& cause) {
  const auto archive = Archive::open(bytes, "b.zip");
  ASSERT_FALSE(archive.ok()) << cause;
  EXPECT_EQ(archive.error().what, "`b.zip` is not a bundle");
  EXPECT_THAT(archive.error().cause, HasSubstr(cause));
  EXPECT_EQ(archive.error().kind, base::ErrorKind::usage);
}

std::string with_name(const std::string& name) { return RawZip{{{name, "x"}}}.text(); }

TEST(Archive, MembersComeBackInTheirOrder) {
  const std::string long_text(3'000'000, 'x'), empty;
  const auto bytes = pack({{"a", "one"}, {"evidence/b", long_text}, {"c", empty}});
  ASSERT_TRUE(bytes.ok());
  EXPECT_LT(bytes->size(), 10'000u);
  const auto archive = Archive::open(*bytes, "b.zip");
  ASSERT_TRUE(archive.ok()) << archive.error().cause;
  ASSERT_EQ(archive->entries().size(), 3u);
  EXPECT_EQ(archive->entries()[1].name, "evidence/b");
  EXPECT_EQ(archive->entries()[1].size_bytes, long_text.size());
  EXPECT_EQ(unpacked(*archive, "c"), "");
  EXPECT_EQ(unpacked(*archive, "evidence/b"), long_text);
  EXPECT_EQ(unpacked(*archive, "a"), "one");
  EXPECT_TRUE(archive->has("a"));
  EXPECT_FALSE(archive->has("A"));
}

TEST(Archive, TheSameMembersGiveTheSameBytes) {
  const std::vector<Member> members = {{"a", "one"}, {"b", "two"}};
  EXPECT_EQ(*pack(members), *pack(members));
}

TEST(Archive, StoredMembersOfAnotherProgramAreRead) {
  const auto archive = Archive::open(RawZip{{{"a", "one"}, {"b", "two"}}}.text(), "b.zip");
  ASSERT_TRUE(archive.ok()) << archive.error().cause;
  EXPECT_EQ(unpacked(*archive, "b"), "two");
}

TEST(Archive, OtherFilesAreRefused) {
  expect_refused("", "the file is empty");
  expect_refused("{}", "it is no zip archive");
  expect_refused("PK\3\4", "it is truncated");
  expect_refused(RawZip{}.text(), "it is no zip archive");
}

TEST(Archive, EveryTruncationIsRefused) {
  const auto bytes = *pack({{"a", "one"}, {"b", "two"}});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(Archive::open(bytes.substr(0, size), "b.zip").ok()) << size;
}

TEST(Archive, NamesThatLeadElsewhereAreRefused) {
  expect_refused(with_name("/etc/passwd"), "an absolute path");
  expect_refused(with_name("C:x"), "an absolute path");
  expect_refused(with_name("../x"), "`..` in the name");
  expect_refused(with_name("a/../../x"), "`..` in the name");
  expect_refused(with_name("a/.."), "`..` in the name");
  expect_refused(with_name("a\\b"), "a backslash");
  expect_refused(with_name("a//b"), "an empty part");
  expect_refused(with_name("./a"), "an empty part");
  expect_refused(with_name("a/"), "a directory");
  expect_refused(with_name("a\nb"), "a control character");
  expect_refused(with_name("a\x1b[2J"), "a control character");
  expect_refused(with_name(std::string("a\0b", 3)), "a control character");
  expect_refused(with_name(std::string(256, 'a')), "more than 255 bytes");
  EXPECT_TRUE(Archive::open(with_name("a..b/.c"), "b.zip").ok());
}

TEST(Archive, DuplicateNamesAreRefused) {
  expect_refused(RawZip{{{"a", "one"}, {"a", "two"}}}.text(), "two members are called `a`");
}

TEST(Archive, LinksAndSpecialFilesAreRefused) {
  expect_refused(RawZip{{{.name = "a", .bytes = "/etc", .attributes = 0120777u << 16}}}.text(), "it is a link");
  expect_refused(RawZip{{{.name = "a", .attributes = 0010644u << 16}}}.text(), "no regular file");
  expect_refused(RawZip{{{.name = "a", .attributes = 0040755u << 16}}}.text(), "no regular file");
  expect_refused(RawZip{{{.name = "a", .attributes = 0x10}}}.text(), "no regular file");
}

TEST(Archive, EncryptedAndUnknownMembersAreRefused) {
  expect_refused(RawZip{{{.name = "a", .bytes = "x", .flags = 1}}}.text(), "encrypted");
  expect_refused(RawZip{{{.name = "a", .bytes = "x", .flags = 1 << 6}}}.text(), "encrypted");
  expect_refused(RawZip{{{.name = "a", .bytes = "x", .flags = 1 << 3}}}.text(), "its size follows its data");
  expect_refused(RawZip{{{.name = "a", .bytes = "x", .method = 99}}}.text(), "compression method is 99");
  expect_refused(RawZip{{{.name = "a", .bytes = "x", .comment = "c"}}}.text(), "a comment");
}

TEST(Archive, SizesAndNumbersHaveALimit) {
  const std::int64_t half = (std::int64_t{1} << 29) + 1;
  const auto member = [&](const char* name) {
    return RawMember{.name = name, .bytes = "x", .method = 8, .stated_bytes = half};
  };
  expect_refused(RawZip{{member("a"), member("b")}}.text(), "more than 1024 MiB unpacked");
  expect_refused(RawZip{{{.name = "a", .bytes = "x", .method = 8, .stated_bytes = 0xffffffffll}}}.text(), "");
  RawZip many;
  for (std::size_t i = 0; i <= kMostMembers; ++i) many.members.push_back({std::to_string(i), ""});
  expect_refused(many.text(), "it has 1001 members; the limit is 1000");
  many.members.pop_back();
  EXPECT_TRUE(Archive::open(many.text(), "b.zip").ok());
}

// What the archive states about a size is compared with what is in it.
TEST(Archive, AMemberThatStatesAnotherSizeIsDamaged) {
  expect_refused(RawZip{{{.name = "a", .bytes = "x", .stated_bytes = 2}}}.text(), "it has two sizes");
  const std::string deflated = *pack({{"a", std::string(100'000, 'x')}});
  for (const std::uint32_t stated : {1u, 99'999u, 100'001u, 1u << 30}) {
    auto bytes = deflated;
    const auto list = bytes.find("PK\1\2");
    bytes.replace(22, 4, little_endian(stated, 4));
    bytes.replace(list + 24, 4, little_endian(stated, 4));
    const auto archive = Archive::open(bytes, "b.zip");
    ASSERT_TRUE(archive.ok()) << archive.error().cause;
    std::size_t got = 0;
    EXPECT_NE(archive->unpack("a", [&](std::string_view part) { got += part.size(); }), "") << stated;
    EXPECT_LE(got, 100'000u);
  }
}

TEST(Archive, BytesOfNoMemberAreRefused) {
  const std::vector<RawMember> members = {{"a", "one"}, {"b", "two"}};
  expect_refused(RawZip{.members = members, .between = "junk"}.text(), "bytes that belong to no member");
  expect_refused(RawZip{.members = members, .after = "junk"}.text(), "");
  expect_refused(RawZip{.members = members, .before = "junk"}.text(), "it is no zip archive");
  expect_refused(RawZip{.members = members, .before = RawZip{{{"a", "zero"}}}.text()}.text(), "");
  expect_refused(RawZip{.members = members, .stated_members = 1}.text(), "");
  expect_refused(RawZip{.members = members, .stated_members = 3}.text(), "damaged");
}

// `unzip` and a program that reads from the beginning would unpack different files.
TEST(Archive, AHeaderWithAnotherNameIsRefused) {
  expect_refused(RawZip{{{.name = "a", .bytes = "x", .local_name = "b"}}}.text(), "does not begin where");
  expect_refused(RawZip{{{.name = "a", .bytes = "x", .local_name = "../../b"}}}.text(), "does not begin where");
}

TEST(Archive, EveryChangedByteIsRefusedOrFoundOrChangesNoContent) {
  const auto bytes = *pack({{"a", "one one one"}, {"b", "two"}});
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    const auto archive = Archive::open(changed, "b.zip");
    if (!archive.ok()) continue;
    for (const auto& entry : archive->entries()) {
      std::string text;
      const auto wrong = archive->unpack(entry.name, [&](std::string_view part) { text += part; });
      EXPECT_TRUE(!wrong.empty() || text == "one one one" || text == "two") << at;
    }
  }
}

}  // namespace
}  // namespace fathom::bundle
