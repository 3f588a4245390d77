// The walk over partitions and holders, on a made-up /sys: sda (gpt) with sda1 (mounted), sda2 (LVM: dm-0 mounted, dm-1
// swap), sda3 free; sdb and sdc in md0; sdd and sde one btrfs.
#include "host/mounts/kernel_use.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/system/fd.h"
#include "host/temp_tree.h"

namespace fathom::host::mounts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class KernelUseOfDevice : public ::testing::Test {
 protected:
  KernelUseOfDevice() {
    tree_.device("ft_sda", "90:0");
    tree_.device("ft_sda1", "90:1", "ft_sda");
    tree_.device("ft_sda2", "90:2", "ft_sda");
    tree_.device("ft_sda3", "90:3", "ft_sda");
    tree_.device("ft_dm0", "91:0");
    tree_.device("ft_dm1", "91:1");
    tree_.file("/sys/class/block/ft_dm0/dm/name", "vg-root\n");
    tree_.built_on("ft_dm0", "ft_sda2");
    tree_.built_on("ft_dm1", "ft_sda2");
    tree_.device("ft_sdb", "90:16");
    tree_.device("ft_sdb1", "90:17", "ft_sdb");
    tree_.device("ft_sdc", "90:32");
    tree_.device("ft_md0", "92:0");
    tree_.built_on("ft_md0", "ft_sdb");
    tree_.built_on("ft_md0", "ft_sdc");
    tree_.device("ft_sdd", "90:48");
    tree_.device("ft_sde", "90:64");
    tree_.file("/sys/fs/btrfs/0123-uuid/devices/ft_sdd", "");
    tree_.file("/sys/fs/btrfs/0123-uuid/devices/ft_sde", "");
    tree_.folder("/sys/fs/btrfs/features");
    mounts_ = parse_mountinfo(
        "1 0 91:0 / / rw - ext4 /dev/root rw\n"
        "2 1 90:1 / /boot rw - vfat /dev/ft_sda1 rw\n"
        "3 1 0:40 / /data rw - btrfs /dev/ft_sdd rw\n"
        "4 1 92:0 / /array rw - xfs /dev/ft_md0 rw\n");
  }
  KernelUse use(const std::string& name) const {
    const std::vector<std::string> swaps = {"/dev/ft_dm1"};
    return kernel_use(disk::BlockTree(tree_.root()), name, mounts_, swaps);
  }
  testing::TempTree tree_;
  std::vector<Mount> mounts_;
};

TEST_F(KernelUseOfDevice, AWholeDiskHasTheUsesOfItsPartitions) {
  const auto u = use("ft_sda");
  EXPECT_THAT(u.mounts, UnorderedElementsAre("/boot (ft_sda1)", "/ (ft_dm0)"));
  EXPECT_THAT(u.holders, UnorderedElementsAre("ft_dm0 (vg-root)", "ft_dm1"));
  EXPECT_TRUE(u.swap);
}

TEST_F(KernelUseOfDevice, APartitionHasNoUsesOfItsSiblings) {
  const auto boot = use("ft_sda1");
  EXPECT_THAT(boot.mounts, ElementsAre("/boot"));
  EXPECT_THAT(boot.holders, IsEmpty());
  EXPECT_FALSE(boot.swap);
  const auto free = use("ft_sda3");
  EXPECT_THAT(free.mounts, IsEmpty());
  EXPECT_THAT(free.holders, IsEmpty());
  EXPECT_FALSE(free.swap);
}

TEST_F(KernelUseOfDevice, APartitionOfAHeldDiskIsHeld) {
  const auto u = use("ft_sdb1");
  EXPECT_THAT(u.holders, ElementsAre("ft_md0"));
  EXPECT_THAT(u.mounts, ElementsAre("/array (ft_md0)"));
}

TEST_F(KernelUseOfDevice, BothMembersOfAnArrayAreHeld) {
  EXPECT_THAT(use("ft_sdb").holders, ElementsAre("ft_md0"));
  EXPECT_THAT(use("ft_sdc").mounts, ElementsAre("/array (ft_md0)"));
}

TEST_F(KernelUseOfDevice, AHolderOfTwoPartitionsIsNamedOnce) {
  tree_.built_on("ft_dm0", "ft_sda3");
  EXPECT_THAT(use("ft_sda").holders, UnorderedElementsAre("ft_dm0 (vg-root)", "ft_dm1"));
}

TEST_F(KernelUseOfDevice, EveryMemberOfABtrfsIsMounted) {
  EXPECT_THAT(use("ft_sdd").mounts, ElementsAre("/data"));
  EXPECT_THAT(use("ft_sde").mounts, ElementsAre("/data"));
}

// A container host: hundreds of mounts. A pipe gives its text to one reader: whoever asks twice finds no number.
TEST_F(KernelUseOfDevice, ADevicesNumberIsReadOnceForAllMounts) {
  const std::string number = tree_.path("/sys/devices/ft_sdb/dev");
  std::filesystem::remove(number);
  ASSERT_EQ(::mkfifo(number.c_str(), 0600), 0);
  const base::system::UniqueFd pipe(::open(number.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::write(pipe.get(), "90:16\n", 6), 6);
  for (int i = 0; i < 400; ++i) mounts_.push_back({makedev(0, 50), "/c" + std::to_string(i), "", "overlay", "overlay"});
  mounts_.push_back({makedev(90, 16), "/last", "", "ext4", "/dev/root"});
  const auto u = use("ft_sdb");
  EXPECT_THAT(u.mounts, ElementsAre("/last", "/array (ft_md0)"));
  EXPECT_THAT(u.nodes, ElementsAre("ft_sdb", "ft_md0", "ft_sdb1"));
}

TEST_F(KernelUseOfDevice, BlockTreeAnswersForPartitionsSlavesAndUnknownNames) {
  const disk::BlockTree tree(tree_.root());
  EXPECT_EQ(tree.name_of(makedev(90, 2)), "ft_sda2");
  EXPECT_EQ(tree.name_of(makedev(99, 9)), "");
  EXPECT_EQ(tree.whole_disk("ft_sda2"), "ft_sda");
  EXPECT_EQ(tree.whole_disk("ft_sda"), "ft_sda");
  EXPECT_EQ(tree.whole_disk(""), "");
  EXPECT_THAT(tree.partitions("ft_sda"), ElementsAre("ft_sda1", "ft_sda2", "ft_sda3"));
  EXPECT_THAT(tree.slaves("ft_md0"), ElementsAre("ft_sdb", "ft_sdc"));
  EXPECT_EQ(tree.device_of("ft_none"), std::nullopt);
}

}  // namespace
}  // namespace fathom::host::mounts
