// mountinfo and swaps: captured lines, escapes, and the search for the mount that holds a path.
#include "host/mounts/mount_table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/sysmacros.h>

namespace fathom::host::mounts {
namespace {

constexpr const char* kMountInfo =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard,resuid=65534\n"
    "40 27 0:45 /@home /home rw,relatime shared:21 master:3 - btrfs /dev/sdb1 rw,ssd,subvol=/@home\n"
    "41 27 8:1 / /mnt/a\\040b\\134c rw - xfs /dev/sda1 rw,attr2\n"
    "42 27 0:50 / /pool rw - bcachefs /dev/sdc:/dev/sdd rw\n"
    "broken line\n"
    "43 27 0:51 / /nodash rw,relatime\n";

TEST(MountInfo, ReadsEachField) {
  const auto mounts = parse_mountinfo(kMountInfo);
  ASSERT_EQ(mounts.size(), 5u);
  EXPECT_EQ(mounts[1].device, makedev(254, 0));
  EXPECT_EQ(mounts[1].mount_point, "/");
  EXPECT_EQ(mounts[1].file_system, "ext4");
  EXPECT_EQ(mounts[1].source, "/dev/vda");
  EXPECT_EQ(mounts[1].options, "rw,relatime,discard,resuid=65534");
}

TEST(MountInfo, OptionalFieldsEndAtTheDash) {
  const auto mounts = parse_mountinfo(kMountInfo);
  EXPECT_EQ(mounts[2].file_system, "btrfs");
  EXPECT_EQ(mounts[2].source, "/dev/sdb1");
  EXPECT_EQ(major(mounts[2].device), 0u);
}

TEST(MountInfo, UnescapesNames) { EXPECT_EQ(parse_mountinfo(kMountInfo)[3].mount_point, "/mnt/a b\\c"); }

TEST(MountInfo, AMountWithNoSuperOptionsIsKept) {
  const auto mounts = parse_mountinfo("1 0 8:1 / / rw - ext4 /dev/sda1\n");
  ASSERT_EQ(mounts.size(), 1u);
  EXPECT_EQ(mounts[0].options, "rw");
}

std::string escape(const std::string& name) {
  constexpr std::string_view kEscaped = " \t\n\\";
  std::string out;
  for (const char c : name) {
    if (kEscaped.find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    char octal[5];
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(c));
    out += octal;
  }
  return out;
}

TEST(MountInfo, UnescapeUndoesTheKernelsEscape) {
  EXPECT_TRUE(rc::check([](const std::string& name) { RC_ASSERT(unescape_octal(escape(name)) == name); }));
}

TEST(MountInfo, SurvivesAnyText) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += word + (word.size() % 3 ? " " : "\n") + "- ";
    RC_ASSERT(parse_mountinfo(text).size() <= text.size());
  }));
}

TEST(MountInfo, UnescapeKeepsIncompleteEscapes) {
  EXPECT_EQ(unescape_octal("a\\"), "a\\");
  EXPECT_EQ(unescape_octal("a\\04"), "a\\04");
  EXPECT_EQ(unescape_octal("a\\999b"), "a\\999b");
}

TEST(ParseSwaps, ListsPathsWithoutTheHeader) {
  const auto swaps = parse_swaps(
      "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
      "/dev/loop0                              partition\t65532\t\t0\t\t-2\n"
      "/my\\040swap                            file\t1024\t0\t-3\n");
  EXPECT_EQ(swaps, (std::vector<std::string>{"/dev/loop0", "/my swap"}));
}

TEST(MountHolding, TakesTheLongestMountPoint) {
  const auto mounts = parse_mountinfo(kMountInfo);
  EXPECT_EQ(mount_holding(mounts, "/home/u/file")->file_system, "btrfs");
  EXPECT_EQ(mount_holding(mounts, "/home")->file_system, "btrfs");
  EXPECT_EQ(mount_holding(mounts, "/homes/x")->file_system, "ext4");
  EXPECT_EQ(mount_holding(mounts, "/")->file_system, "ext4");
  EXPECT_EQ(mount_holding({}, "/"), nullptr);
}

TEST(MountHolding, TakesTheLastMountOverAPoint) {
  const auto mounts = parse_mountinfo("1 0 8:1 / /m rw - ext4 /dev/sda1 rw\n2 0 8:2 / /m rw - xfs /dev/sda2 rw\n");
  EXPECT_EQ(mount_holding(mounts, "/m/f")->file_system, "xfs");
}

TEST(SourceDevices, SplitsOnlyLists) {
  const auto mounts = parse_mountinfo(kMountInfo);
  EXPECT_TRUE(source_devices(mounts[0]).empty());
  EXPECT_EQ(source_devices(mounts[4]), (std::vector<std::string>{"/dev/sdc", "/dev/sdd"}));
  Mount by_path;
  by_path.source = "/dev/disk/by-path/pci-0000:00:02.0";
  EXPECT_EQ(source_devices(by_path), (std::vector<std::string>{by_path.source}));
}

}  // namespace
}  // namespace fathom::host::mounts
