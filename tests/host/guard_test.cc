// The guard on real loop devices: what was put on them is what it finds. Needs root; skipped with its reason otherwise.
#include "host/guard.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <sys/wait.h>

#include <cstdlib>

#include "host/disk_images.h"
#include "host/loop_device.h"

namespace fathom::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GuardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!loop_.ok()) GTEST_SKIP() << loop_.skip_reason();
  }
  DeviceUse use() const {
    auto found = device_use(loop_.path());
    EXPECT_TRUE(found.ok()) << found.error().what;
    return found.ok() ? *found : DeviceUse{};
  }
  bool refused(const GuardOptions& options = {}) const {
    const auto verdict = guard_write(loop_.path(), options);
    EXPECT_TRUE(verdict.ok() || verdict.error().kind == base::ErrorKind::refused) << verdict.error().what;
    return !verdict.ok();
  }
  bool shell(const std::string& command) const { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }
  testing::LoopDevice loop_;
};

class Mounted {
 public:
  Mounted(const std::string& device, std::string folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    ok_ = ::mount(device.c_str(), folder_.c_str(), "ext4", 0, nullptr) == 0;
  }
  ~Mounted() {
    if (ok_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  bool ok() const { return ok_; }

 private:
  std::string folder_;
  bool ok_;
};

TEST_F(GuardTest, AnEmptyDeviceIsFree) {
  const auto u = use();
  EXPECT_FALSE(u.in_use()) << describe(u);
  EXPECT_EQ(u.size_bytes, testing::LoopDevice::kBytes);
  EXPECT_EQ(u.model, "loop of " + loop_.file());
  EXPECT_FALSE(refused());
}

TEST_F(GuardTest, AFileSystemIsFoundThenItsMount) {
  ASSERT_TRUE(shell("mkfs.ext4 -q -L photos " + loop_.path()));
  EXPECT_EQ(use().content, "ext4");
  EXPECT_EQ(use().label, "photos");
  EXPECT_TRUE(use().mounts.empty());
  EXPECT_TRUE(refused());

  const std::string point = loop_.folder("/a b");
  const Mounted mounted(loop_.path(), point);
  if (!mounted.ok()) GTEST_SKIP() << "this process may not mount";
  EXPECT_THAT(use().mounts, ElementsAre(point));
  EXPECT_TRUE(refused());
  EXPECT_TRUE(refused({.allow_destructive = {}, .allow_mounted_write = true}));
  EXPECT_FALSE(refused({.allow_destructive = {loop_.path()}, .allow_mounted_write = false}));
}

TEST_F(GuardTest, SwapIsFoundWhileItIsOn) {
  ASSERT_TRUE(shell("mkswap " + loop_.path()));
  EXPECT_EQ(use().content, "swap");
  EXPECT_FALSE(use().swap);
  if (::swapon(loop_.path().c_str(), 0) != 0) GTEST_SKIP() << "this process may not swapon";
  const bool seen = use().swap;
  ::swapoff(loop_.path().c_str());
  EXPECT_TRUE(seen);
}

TEST_F(GuardTest, PartitionTablesAreFound) {
  loop_.put(0, testing::dos_table());
  EXPECT_EQ(use().partition_table, "dos");
  EXPECT_TRUE(refused());
  loop_.put(0, std::string(512, '\0'));
  EXPECT_EQ(use().partition_table, "");
  loop_.put(0, testing::gpt_table(testing::LoopDevice::kBytes));
  EXPECT_EQ(use().partition_table, "gpt");
  EXPECT_TRUE(refused());
}

TEST_F(GuardTest, AGptWithoutItsProtectiveMbrIsStillATable) {
  loop_.put(512, testing::gpt_table(testing::LoopDevice::kBytes).substr(512));
  EXPECT_EQ(use().partition_table, "gpt");
}

TEST_F(GuardTest, TwoSignaturesAreBothNamed) {
  ASSERT_TRUE(shell("mkfs.ext4 -q " + loop_.path()));
  loop_.put(0, testing::dos_table());
  loop_.put(512, testing::lvm2_label());
  const auto u = use();
  EXPECT_EQ(u.partition_table, "dos");
  EXPECT_THAT(u.content, HasSubstr("ext4"));
  EXPECT_THAT(u.content, HasSubstr("LVM2_member"));
}

TEST_F(GuardTest, AnExclusiveHolderThatNothingExplainsIsFound) {
  EXPECT_FALSE(use().busy);
  const base::UniqueFd claim(::open(loop_.path().c_str(), O_RDONLY | O_EXCL));
  ASSERT_TRUE(claim);
  EXPECT_TRUE(use().busy);
  EXPECT_TRUE(refused());
}

TEST_F(GuardTest, UsesThatNoPermissionLifts) {
  const auto verdict = [&] { return guard_use(loop_.path()); };
  ASSERT_TRUE(shell("mkfs.ext4 -q " + loop_.path()));
  EXPECT_TRUE(verdict().ok()) << "content alone is no use";
  {
    const base::UniqueFd claim(::open(loop_.path().c_str(), O_RDONLY | O_EXCL));
    ASSERT_FALSE(verdict().ok());
    EXPECT_THAT(verdict().error().cause, HasSubstr("held exclusively"));
  }
  const std::string point = loop_.folder("/mounted");
  const Mounted mounted(loop_.path(), point);
  if (!mounted.ok()) GTEST_SKIP() << "this process may not mount";
  ASSERT_FALSE(verdict().ok());
  EXPECT_EQ(verdict().error().kind, base::ErrorKind::refused);
  EXPECT_THAT(verdict().error().cause, HasSubstr("mounted on " + point));
}

TEST_F(GuardTest, ADeviceMapperHolderIsFound) {
  const std::string name = "fathom_test_" + std::to_string(::getpid());
  if (!shell("dmsetup create " + name + " --table '0 8192 linear " + loop_.path() + " 0'")) {
    GTEST_SKIP() << "no device-mapper here (dmsetup failed)";
  }
  const auto u = use();
  shell("dmsetup remove --retry " + name);
  ASSERT_EQ(u.holders.size(), 1u);
  EXPECT_THAT(u.holders[0], HasSubstr(name));
}

TEST_F(GuardTest, AnyNameOfTheSameDeviceCounts) {
  ASSERT_TRUE(shell("mkswap " + loop_.path()));
  const std::string alias = loop_.folder("/by-id");
  std::filesystem::create_symlink(loop_.path(), alias);
  EXPECT_FALSE(refused({.allow_destructive = {alias}, .allow_mounted_write = false}));
  EXPECT_TRUE(refused({.allow_destructive = {"/dev/null", "/no/such"}, .allow_mounted_write = false}));
  EXPECT_EQ(guard_write(alias, {}).ok(), false);
  EXPECT_TRUE(guard_write(alias, {.allow_destructive = {loop_.path()}, .allow_mounted_write = false}).ok());
}

// The kind of error that guard_write() gives to a user without any rights; -1 for none.
int kind_for_nobody(const std::string& path, const GuardOptions& options) {
  constexpr int kNoError = 100, kNotNobody = 101;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(kNotNobody);
    const auto verdict = guard_write(path, options);
    ::_exit(verdict.ok() ? kNoError : static_cast<int>(verdict.error().kind));
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WEXITSTATUS(status) == kNoError ? -1 : WEXITSTATUS(status);
}

TEST_F(GuardTest, ADeviceThatMayNotBeReadIsAnErrorNotSilence) {
  EXPECT_EQ(kind_for_nobody(loop_.path(), {}), static_cast<int>(base::ErrorKind::privilege));
}

TEST_F(GuardTest, AMountIsToldEvenToWhoMayNotReadTheDevice) {
  ASSERT_TRUE(shell("mkfs.ext4 -q " + loop_.path()));
  const Mounted mounted(loop_.path(), loop_.folder("/m"));
  if (!mounted.ok()) GTEST_SKIP() << "this process may not mount";
  EXPECT_EQ(kind_for_nobody(loop_.path(), {}), static_cast<int>(base::ErrorKind::refused));
  EXPECT_EQ(kind_for_nobody(loop_.path(), {.allow_destructive = {}, .allow_mounted_write = true}),
            static_cast<int>(base::ErrorKind::privilege));
}

TEST(GuardPath, OnlyBlockDevicesAreGuarded) {
  EXPECT_TRUE(guard_write("/dev/null", {}).ok());
  EXPECT_TRUE(guard_write("/no/such/file", {}).ok());
  EXPECT_EQ(device_use("/dev/null").error().kind, base::ErrorKind::usage);
  EXPECT_EQ(device_use("/no/such/file").error().sys_errno, ENOENT);
}

}  // namespace
}  // namespace fathom::host
