// Where targets lie: files, what is not there yet, devices, partitions, overlays over two disks; and each asked once.
#include "host/placement/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "host/loop_device.h"
#include "host/temp_tree.h"

namespace fathom::host::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Placement, AFileHasItsMountItsDiskAndItsIdentity) {
  const testing::TempTree tree;
  tree.file("/old", "four");
  struct stat st {};
  ASSERT_EQ(::stat(tree.path("/old").c_str(), &st), 0);
  const auto file = place(tree.path("/old"));
  EXPECT_EQ(file.path, tree.path("/old"));
  EXPECT_EQ(file.kind, "regular");
  EXPECT_EQ(file.error, 0);
  EXPECT_EQ(file.node, st.st_dev);
  EXPECT_EQ(file.inode, st.st_ino);
  EXPECT_EQ(file.size_bytes, 4u);
  EXPECT_FALSE(file.identity.block);
  EXPECT_TRUE(file.on_file_system());
  if (major(st.st_dev) == 0) return;  // tmpfs, an overlay: what is below depends on the machine
  EXPECT_EQ(file.device, st.st_dev);
  EXPECT_FALSE(file.disk.empty());
  EXPECT_THAT(file.disks, ::testing::Contains(file.disk));
}

TEST(Placement, AFileThatIsNotThereYetLiesWhereItsNearestFolderLies) {
  const testing::TempTree tree;
  tree.file("/old", "");
  const auto old = place(tree.path("/old")), missing = place(tree.path("/no/such/folder/new"));
  EXPECT_EQ(missing.error, ENOENT);
  EXPECT_EQ(missing.kind, "regular");
  EXPECT_EQ(missing.inode, 0u);
  EXPECT_EQ(missing.mount_point, old.mount_point);
  EXPECT_EQ(missing.disk, old.disk);
  EXPECT_EQ(missing.device, old.device);
}

TEST(Placement, WhatLiesOnNoDiskHasNone) {
  for (const char* path : {"/proc/self/stat", "/dev/null", "/dev/shm", ""}) {
    const auto none = place(path);
    EXPECT_EQ(none.disk, "") << path;
    EXPECT_EQ(none.device_name, "") << path;
    EXPECT_THAT(none.disks, IsEmpty()) << path;
    EXPECT_EQ(none.unfollowed, "") << path;
  }
  EXPECT_EQ(place("/dev/null").kind, "character");
  EXPECT_EQ(place("/dev/null").node, makedev(1, 3));
  EXPECT_FALSE(place("/dev/null").on_file_system());
  EXPECT_EQ(place("/proc/self").kind, "directory");
}

TEST(Placement, ABlockDeviceIsItselfAndNoPartOfTheFileSystemOfItsNode) {
  const testing::LoopDevice loop;
  if (!loop.ok()) GTEST_SKIP() << loop.skip_reason();
  const auto device = place(loop.path());
  EXPECT_EQ(device.kind, "block");
  EXPECT_TRUE(device.identity.block);
  EXPECT_EQ(device.identity.device, device.node);
  EXPECT_EQ(device.device, device.node);
  EXPECT_EQ("/dev/" + device.disk, loop.path());
  EXPECT_THAT(device.disks, ElementsAre(device.disk));
  EXPECT_FALSE(device.partition);
  EXPECT_FALSE(device.on_file_system());
}

TEST(Placement, APartitionBeginsSomewhereOnItsDisk) {
  const testing::LoopDevice loop;
  if (!loop.ok()) GTEST_SKIP() << loop.skip_reason();
  constexpr std::int64_t kStart = 8 << 20;
  if (!loop.hold_partition(1, kStart)) GTEST_SKIP() << "no partitions on loop devices here";
  const auto part = place(loop.path() + "p1");
  if (part.error != 0) GTEST_SKIP() << "the partition has no node in /dev here";
  EXPECT_TRUE(part.partition);
  EXPECT_EQ("/dev/" + part.device_name, loop.path() + "p1");
  EXPECT_EQ("/dev/" + part.disk, loop.path());
  EXPECT_EQ(part.first_sector, static_cast<std::uint64_t>(kStart) / 512);
  EXPECT_THAT(part.disks, ElementsAre(part.disk));
}

// Its lower layer on another disk than its upper one: a file that is read lies below, one that is written is copied up.
class OverlayOverTwoDisks : public ::testing::Test {
 protected:
  void SetUp() override {
    for (auto* loop : {&lower_, &upper_})
      if (!loop->ok()) GTEST_SKIP() << loop->skip_reason();
    for (const char* name : {"/lower", "/upper", "/merged"}) std::filesystem::create_directory(tree_.path(name));
    if (!made(lower_, "/lower") || !made(upper_, "/upper")) GTEST_SKIP() << "no ext4 can be made or mounted here";
    std::ofstream(tree_.path("/lower/file")) << "text";
    for (const char* name : {"/upper/up", "/upper/work"}) std::filesystem::create_directory(tree_.path(name));
    const std::string options = "lowerdir=" + tree_.path("/lower") + ",upperdir=" + tree_.path("/upper/up") +
                                ",workdir=" + tree_.path("/upper/work");
    merged_ = ::mount("overlay", tree_.path("/merged").c_str(), "overlay", 0, options.c_str()) == 0;
    if (!merged_) GTEST_SKIP() << "no overlay can be mounted here";
  }
  void TearDown() override {
    for (const char* name : {"/merged", "/upper", "/lower"}) ::umount(tree_.path(name).c_str());
  }
  bool made(const testing::LoopDevice& loop, const char* at) {
    const std::string make = "mkfs.ext4 -q " + loop.path() + " >/dev/null 2>&1";
    return std::system(make.c_str()) == 0 &&
           ::mount(loop.path().c_str(), tree_.path(at).c_str(), "ext4", 0, nullptr) == 0;
  }
  const testing::TempTree tree_;
  const testing::LoopDevice lower_, upper_;
  bool merged_ = false;
};

TEST_F(OverlayOverTwoDisks, AFileThatIsReadLiesBelowAndOneThatIsWrittenAbove) {
  Placements placements;
  const std::string file = tree_.path("/merged/file");
  const auto& read = placements.of(file);
  const auto& written = placements.of(file, true);
  EXPECT_EQ("/dev/" + read.disk, lower_.path());
  EXPECT_EQ("/dev/" + written.disk, upper_.path());
  EXPECT_EQ("/dev/" + placements.of(tree_.path("/merged/new")).disk, upper_.path());
  EXPECT_TRUE(read.may_lie_elsewhere);
  EXPECT_EQ(read.file_system, "overlay");
  EXPECT_EQ(read.mount_point, tree_.path("/merged"));
}

// As the root file system of a container whose upper layer is in memory.
TEST(Placements, AnOverlayWhoseUpperLayerIsInMemoryIsThere) {
  const testing::TempTree tree;
  for (const char* name : {"/lower", "/memory", "/merged"}) std::filesystem::create_directory(tree.path(name));
  std::ofstream(tree.path("/lower/file")) << "text";
  if (::mount("none", tree.path("/memory").c_str(), "tmpfs", 0, nullptr) != 0) GTEST_SKIP() << "no mounts here";
  for (const char* name : {"/memory/up", "/memory/work"}) std::filesystem::create_directory(tree.path(name));
  const std::string options = "lowerdir=" + tree.path("/lower") + ",upperdir=" + tree.path("/memory/up") +
                              ",workdir=" + tree.path("/memory/work");
  const bool merged = ::mount("overlay", tree.path("/merged").c_str(), "overlay", 0, options.c_str()) == 0;
  if (merged) {
    Placements placements;
    EXPECT_TRUE(placements.of(tree.path("/merged/file"), true).in_memory) << "a write copies it up";
    EXPECT_EQ(placements.of(tree.path("/merged/file")).in_memory, place(tree.path("/lower")).in_memory);
    ::umount(tree.path("/merged").c_str());
  }
  EXPECT_TRUE(place(tree.path("/memory/up/file")).in_memory);
  ::umount(tree.path("/memory").c_str());
  if (!merged) GTEST_SKIP() << "no overlay can be mounted here";
}

TEST(Placements, AnAnswerThatWasGivenStaysTheSame) {
  const testing::TempTree tree;
  Placements placements;
  const std::string path = tree.path("/file");
  EXPECT_EQ(placements.of(path).error, ENOENT);
  tree.file("/file", "made meanwhile");
  EXPECT_EQ(placements.of(path).error, ENOENT) << "all of a run speak of what was found before it";
  EXPECT_EQ(place(path).error, 0);
}

TEST(DisksOf, EachDiskStandsOnceAndPathsWithoutOneAreLeftOut) {
  EXPECT_THAT(disks_of({place("/proc/self/stat"), place("/dev/null"), place("")}), IsEmpty());
  const testing::LoopDevice loop;
  if (!loop.ok()) GTEST_SKIP() << loop.skip_reason();
  EXPECT_THAT(disks_of({place(loop.path()), place("/dev/zero"), place(loop.path())}),
              ElementsAre(loop.path().substr(5)));
}

}  // namespace
}  // namespace fathom::host::placement
