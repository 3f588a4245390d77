// The words of --allow-destructive.
#include "host/guards/permission.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "host/temp_tree.h"

namespace fathom::host::guards {
namespace {

struct Row {
  const char* text;
  const char* device;
  bool mounted, swap;
};

TEST(AllowEntry, UsesFollowTheNameAfterAColon) {
  const Row rows[] = {
      {"/dev/sdx", "/dev/sdx", false, false},
      {"/dev/sdx:mounted", "/dev/sdx", true, false},
      {"/dev/sdx:swap", "/dev/sdx", false, true},
      {"/dev/sdx:swap:mounted", "/dev/sdx", true, true},
      {"/dev/sdx:mounted:swap", "/dev/sdx", true, true},
      {"0000:04:00.0/1", "0000:04:00.0/1", false, false},
      {"/dev/sdx:Mounted", "/dev/sdx:Mounted", false, false},
      {"/dev/sdx:mounted:mounted", "/dev/sdx:mounted", true, false},
      {":mounted", ":mounted", false, false},
      {"", "", false, false},
  };
  for (const auto& row : rows) {
    const auto word = parse_allow_entry(row.text);
    EXPECT_EQ(word.device, row.device) << row.text;
    EXPECT_EQ(word.lifts.mounted, row.mounted) << row.text;
    EXPECT_EQ(word.lifts.swap, row.swap) << row.text;
    EXPECT_TRUE(word.lifts.named) << row.text;
  }
}

TEST(PermissionFor, SumsWordsOfTheDeviceAndIgnoresOthers) {
  const testing::TempTree tree;
  tree.file("/disk", "x");
  tree.file("/other", "x");
  tree.link("/alias", "disk");
  const std::string disk = tree.path("/disk");
  EXPECT_FALSE(permission_for(disk, {}).named);
  EXPECT_FALSE(permission_for(disk, {tree.path("/other"), tree.path("/none"), ""}).named);
  EXPECT_TRUE(permission_for(disk, {tree.path("/alias")}).named);
  EXPECT_FALSE(permission_for(disk, {disk}).mounted);
  const auto both = permission_for(disk, {disk + ":mounted", tree.path("/alias") + ":swap"});
  EXPECT_TRUE(both.named && both.mounted && both.swap);
}

TEST(PermissionFor, AFileNameEndingInAUseIsOnlyAName) {
  const testing::TempTree tree;
  tree.file("/disk:mounted", "x");
  const auto permission = permission_for(tree.path("/disk:mounted"), {tree.path("/disk:mounted")});
  EXPECT_TRUE(permission.named);
  EXPECT_FALSE(permission.mounted);
}

}  // namespace
}  // namespace fathom::host::guards
