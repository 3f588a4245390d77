// The guard's decision and words, on made-up devices.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/guards/guard.h"

namespace fathom::host::guards {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

DeviceUse empty_disk() {
  DeviceUse use;
  use.device = "/dev/sdx";
  use.model = "ACME Fast 1";
  use.size_bytes = 2000398934016;
  return use;
}

TEST(JudgeDeviceUse, AnEmptyDiskMayBeWritten) { EXPECT_TRUE(judge(empty_disk(), {}).ok()); }

struct Case {
  const char* name;
  void (*use_it)(DeviceUse&);
  const char* text;
  const char* word = "/dev/sdx";  // that lifts it
};
constexpr Case kCases[] = {
    {"mounted",
     [](DeviceUse& u) {
       u.mounts = {"/home", "/ (sdx2)"};
     },
     "mounted on /home, / (sdx2)", "/dev/sdx:mounted"},
    {"swap", [](DeviceUse& u) { u.swap = true; }, "swap", "/dev/sdx:swap"},
    {"held", [](DeviceUse& u) { u.holders = {"dm-0 (vg-root)"}; }, "held by dm-0 (vg-root)"},
    {"table", [](DeviceUse& u) { u.partition_table = "gpt"; }, "gpt partition table"},
    {"content", [](DeviceUse& u) { u.content = "ext4", u.label = "photos"; }, "carries ext4 (label \"photos\")"},
    {"busy", [](DeviceUse& u) { u.busy = true, u.openers = {"qemu (pid 7)"}; },
     "mount namespace, open in qemu (pid 7)"},
    {"loop", [](DeviceUse& u) { u.loops = {"loop3"}; }, "in use by a loop device: loop3"},
    {"partitions", [](DeviceUse& u) { u.partitions = {"sdx1 carries ext4"}; },
     "contains partitions: sdx1 carries ext4"},
    {"writers", [](DeviceUse& u) { u.writers = {"dd (pid 7)"}; }, "open for writing in dd (pid 7)"},
};

class EachDeviceUse : public ::testing::TestWithParam<Case> {};

TEST_P(EachDeviceUse, IsRefusedAndNamed) {
  DeviceUse use = empty_disk();
  GetParam().use_it(use);
  EXPECT_TRUE(use.in_use());
  const auto verdict = judge(use, {});
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(verdict.error().what, HasSubstr("/dev/sdx (ACME Fast 1, 1.8 TiB)"));
  EXPECT_EQ(verdict.error().cause.find(GetParam().text) != std::string::npos, true) << verdict.error().cause;
  EXPECT_THAT(verdict.error().help,
              HasSubstr(fmt::format("--allow-destructive={0} (or FATHOM_ALLOW_DESTRUCTIVE={0})", GetParam().word)));
  EXPECT_THAT(describe(use), HasSubstr(GetParam().text));
}

// Of a use there is no allowing; of content there is.
TEST_P(EachDeviceUse, JudgeUseAllowsContentOnly) {
  DeviceUse use = empty_disk();
  GetParam().use_it(use);
  const bool content = !use.content.empty() || !use.partition_table.empty() || !use.partitions.empty();
  const auto verdict = judge_use(use);
  ASSERT_EQ(verdict.ok(), content);
  if (content) return;
  EXPECT_EQ(verdict.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(verdict.error().what, HasSubstr("/dev/sdx (ACME Fast 1, 1.8 TiB) is in use"));
  EXPECT_THAT(verdict.error().cause, HasSubstr(GetParam().text));
  EXPECT_THAT(verdict.error().help, Not(HasSubstr("--allow-destructive")));
}

// What is alive wants more than the device's name.
TEST_P(EachDeviceUse, IsAllowedByNameUnlessMountedOrSwap) {
  DeviceUse use = empty_disk();
  GetParam().use_it(use);
  const auto lifts = parse_allow_entry(GetParam().word).lifts;
  EXPECT_TRUE(judge(use, lifts).ok());
  const bool alive = lifts.mounted || lifts.swap;
  EXPECT_EQ(judge(use, {.named = true}).ok(), !alive);
}

TEST(JudgeDeviceUse, TwoActiveUsesNeedTwoWords) {
  DeviceUse use = empty_disk();
  use.mounts = {"/home"};
  use.swap = true;
  use.content = "ext4";
  const auto all = judge(use, {});
  ASSERT_FALSE(all.ok());
  EXPECT_THAT(all.error().help, HasSubstr("--allow-destructive=/dev/sdx:mounted:swap "));
  EXPECT_THAT(all.error().help, HasSubstr("although the device is in use"));
  const auto one = judge(use, parse_allow_entry("/dev/sdx:mounted").lifts);
  ASSERT_FALSE(one.ok());
  EXPECT_EQ(one.error().cause, "in use as swap");
  EXPECT_THAT(one.error().help, HasSubstr("--allow-destructive=/dev/sdx:swap "));
  EXPECT_TRUE(judge(use, parse_allow_entry("/dev/sdx:swap:mounted").lifts).ok());
}

TEST_P(EachDeviceUse, MountedWriteAllowsTheMountOnly) {
  DeviceUse use = empty_disk();
  GetParam().use_it(use);
  const bool only_mounted = std::string(GetParam().name) == "mounted";
  EXPECT_EQ(judge(use, {.mounted = true}).ok(), only_mounted);
}

INSTANTIATE_TEST_SUITE_P(All, EachDeviceUse, ::testing::ValuesIn(kCases), [](const auto& i) { return i.param.name; });

TEST(JudgeDeviceUse, AMountedFileSystemsContentIsRefusedWithMountedWrite) {
  DeviceUse use = empty_disk();
  use.mounts = {"/mnt"};
  use.content = "ext4";
  const auto verdict = judge(use, {.mounted = true});
  ASSERT_FALSE(verdict.ok());
  EXPECT_THAT(verdict.error().cause, HasSubstr("ext4"));
  EXPECT_THAT(verdict.error().cause, Not(HasSubstr("/mnt")));
}

TEST(DescribeDeviceUse, NamesEverythingAndShortensLongLists) {
  DeviceUse use = empty_disk();
  EXPECT_EQ(describe(use), "/dev/sdx (ACME Fast 1, 1.8 TiB): nothing found on it");
  use.model.clear();
  use.size_bytes = 512;
  use.partition_table = "dos";
  use.content = "LVM2_member";
  for (int i = 0; i < 20; ++i) use.mounts.push_back("/m" + std::to_string(i));
  EXPECT_EQ(describe(use),
            "/dev/sdx (512 B): mounted on /m0, /m1, /m2, /m3, /m4, /m5, /m6, /m7 and 12 more; dos partition table; "
            "carries LVM2_member");
}

}  // namespace
}  // namespace fathom::host::guards
