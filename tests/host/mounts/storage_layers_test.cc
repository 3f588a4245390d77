// What lies below a disk, on trees made up and on what this machine lets us make.
#include "host/mounts/storage_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "host/disk/block_tree.h"
#include "host/mounts/locate.h"
#include "host/mounts/overlay.h"
#include "host/temp_tree.h"

namespace fathom::host::mounts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string number_of(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return "";
  return std::to_string(major(st.st_dev)) + ":" + std::to_string(minor(st.st_dev));
}

TEST(StorageLayers, AStackIsFollowedToItsDisksAndEachIsListedOnce) {
  const testing::TempTree sys;
  sys.device("ft_a", "90:0");
  sys.device("ft_a1", "90:1", "ft_a");
  sys.device("ft_b", "90:16");
  sys.device("ft_md", "91:0");
  sys.device("ft_dm", "92:0");
  sys.built_on("ft_dm", "ft_md");
  sys.built_on("ft_md", "ft_a1");
  sys.built_on("ft_md", "ft_b");
  const auto layers = storage_layers({"ft_dm", "ft_md", "ft_b"}, sys.root());
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].upper, "ft_dm");
  EXPECT_THAT(layers[0].lower, ElementsAre("ft_md"));
  EXPECT_EQ(layers[1].kind, "stack");
  EXPECT_THAT(layers[1].lower, ElementsAre("ft_a", "ft_b"));
}

TEST(StorageLayers, ALoopDeviceLeadsToItsFilesDisk) {
  const testing::TempTree sys;
  sys.file("/image", std::string(1 << 16, 'x'));
  sys.device("ft_a", number_of(sys.path("/image")));
  sys.device("loop7", "7:7");
  sys.file("/sys/class/block/loop7/loop/backing_file", sys.path("/image") + "\n");
  sys.file("/sys/class/block/loop7/loop/dio", "0\n");
  auto layers = storage_layers({"loop7"}, sys.root());
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].kind, "loop");
  EXPECT_THAT(layers[0].lower, ElementsAre("ft_a"));
  EXPECT_TRUE(layers[0].cached);
  sys.file("/sys/class/block/loop7/loop/dio", "1\n");
  EXPECT_FALSE(storage_layers({"loop7"}, sys.root())[0].cached);
  sys.file("/sys/class/block/loop7/loop/backing_file", sys.path("/image (deleted)") + "\n");
  layers = storage_layers({"loop7"}, sys.root());
  EXPECT_THAT(layers[0].lower, IsEmpty());
  EXPECT_THAT(layers[0].cause, HasSubstr("is not visible"));
}

TEST(StorageLayers, AZramIsInMemoryAndADiskHasNoLayer) {
  const testing::TempTree sys;
  sys.device("zram1", "253:1");
  sys.device("ft_a", "90:0");
  const auto layers = storage_layers({"zram1", "ft_a"}, sys.root());
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_THAT(layers[0].lower, IsEmpty());
  EXPECT_THAT(layers[0].cause, HasSubstr("memory"));
}

TEST(StorageLayers, AFileSystemOnSeveralDisksIsOnAllOfThem) {
  const testing::TempTree sys;
  sys.device("ft_a", "90:0");
  sys.device("ft_a1", "90:1", "ft_a");
  sys.device("ft_b", "90:16");
  EXPECT_THAT(disk::BlockTree(sys.root()).disks_of_files(makedev(90, 1)), ElementsAre("ft_a"));
  sys.file("/sys/fs/btrfs/0123-uuid/devices/ft_a1", "");
  sys.file("/sys/fs/btrfs/0123-uuid/devices/ft_b", "");
  EXPECT_THAT(disk::BlockTree(sys.root()).disks_of_files(makedev(90, 1)), ElementsAre("ft_a", "ft_b"));
  EXPECT_THAT(disk::BlockTree(sys.root()).disks_of_files(0), IsEmpty());
}

TEST(StorageLayers, DisksOfMountsWithDiscardAreFound) {
  const testing::TempTree sys;
  for (const auto& [name, number] : {std::pair("ft_a", "90:0"), std::pair("ft_b", "90:16"), std::pair("ft_c", "90:32")})
    sys.device(name, number);
  sys.file("/proc/self/mountinfo",
           "1 0 90:0 / / rw,relatime - ext4 /dev/ft_a rw,discard\n"
           "2 1 90:16 / /b rw,nodiscard - ext4 /dev/ft_b rw,nodiscard\n"
           "3 1 90:32 / /c rw - btrfs /dev/ft_c rw,ssd,discard=async\n");
  EXPECT_THAT(discarding_disks({"ft_a", "ft_b", "ft_c"}, sys.root()), ElementsAre("ft_a", "ft_c"));
  EXPECT_THAT(discarding_disks({"ft_b"}, sys.root()), IsEmpty());
}

Mount overlay(const std::string& at, const std::string& options) {
  return {makedev(0, 44), at, options, "overlay", "overlay"};
}

TEST(Overlay, LayersAreReadWithEscapedNames) {
  EXPECT_THAT(overlay_layers(overlay("/", "rw,relatime,lowerdir=/l1:/with\\:colon,upperdir=/up\\,per,workdir=/w")),
              ElementsAre("/up,per", "/l1", "/with:colon"));
  EXPECT_THAT(overlay_layers(overlay("/", "ro,lowerdir=/l1")), ElementsAre("/l1"));
}

TEST(Overlay, AFileIsOnItsLayersDeviceAndANewOneOnTheUpperLayers) {
  const testing::TempTree tree;
  tree.file("/lower/f", "x");
  tree.folder("/upper");
  struct stat st {};
  ASSERT_EQ(::stat(tree.path("/upper").c_str(), &st), 0);
  if (major(st.st_dev) == 0) GTEST_SKIP() << "the folder for temporary files lies on no disk itself";
  const auto mount = overlay("/m", "lowerdir=" + tree.path("/lower") + ",upperdir=" + tree.path("/upper"));
  EXPECT_EQ(overlay_device(mount, {}, "/m/f"), st.st_dev);
  EXPECT_EQ(overlay_device(mount, {}, "/m/new"), st.st_dev);
  // A folder of it that is mounted elsewhere.
  tree.file("/lower/sub/deep", "x");
  auto part = overlay("/part", mount.options);
  part.root = "/sub";
  std::vector<Mount> shm{overlay("/m", "lowerdir=" + tree.path("/lower") + ",upperdir=/dev/shm")};
  EXPECT_EQ(overlay_device(part, {}, "/part/deep"), st.st_dev);
  part.options = shm[0].options;
  struct stat memory {};
  if (::stat("/dev/shm", &memory) == 0 && memory.st_dev != st.st_dev) {
    EXPECT_EQ(overlay_device(part, {}, "/part/deep"), st.st_dev) << "its root counts";
    EXPECT_EQ(overlay_device(part, {}, "/part/deep", true), dev_t{0}) << "who writes copies it up first";
    EXPECT_FALSE(overlay_on_one_device(part));
  }
  EXPECT_TRUE(overlay_on_one_device(overlay("/m", "lowerdir=" + tree.path("/lower"))));
  EXPECT_FALSE(overlay_device(overlay("/m", "lowerdir=/no/such,upperdir=/no/other"), {}, "/m/f"))
      << "no layer is in sight";
}

TEST(Overlay, AnOverlayOnTmpfsIsKnownToHaveNoDisk) {
  const std::string shm = "/dev/shm";
  struct stat st {};
  if (::stat(shm.c_str(), &st) != 0 || major(st.st_dev) != 0) GTEST_SKIP() << "/dev/shm is no tmpfs here";
  EXPECT_EQ(overlay_device(overlay("/m", "lowerdir=/no,upperdir=" + shm), {}, "/m/f"), dev_t{0});
}

}  // namespace
}  // namespace fathom::host::mounts
