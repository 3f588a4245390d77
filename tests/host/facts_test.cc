// Facts: of this machine, held against what other interfaces say, and of a made-up disk.
#include "host/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <thread>

#include "base/system/affinity.h"
#include "host/disk/disk_facts.h"
#include "host/loop_device.h"
#include "host/mounts/locate.h"
#include "host/placement/placement.h"

namespace fathom::host {
namespace {

using placement::place;

TEST(HostFacts, AgreeWithTheCLibrary) {
  const auto facts = collect_facts({});
  char name[256] = {};
  ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
  EXPECT_EQ(facts.hostname, name);
  EXPECT_EQ(facts.page_bytes, static_cast<std::uint64_t>(::getpagesize()));
  EXPECT_EQ(facts.cpus_online, static_cast<std::uint32_t>(::get_nprocs()));
  EXPECT_EQ(facts.cpus_allowed, base::system::allowed_cpus().size());
  EXPECT_EQ(facts.cpus_allowed, std::thread::hardware_concurrency());
  EXPECT_GT(facts.memory_bytes, 1u << 20);
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_TRUE(facts.devices.empty());
}

TEST(TargetFacts, AMissingFileHasTheFactsOfItsParentFolder) {
  const testing::TempTree tree;
  tree.file("/old", "x");
  placement::Placements placements;
  std::vector<placement::Placement> targets;
  for (const char* path : {"/old", "/new", "/no/such/folder/new"}) targets.push_back(placements.of(tree.path(path)));
  const auto devices = collect_facts(targets).devices;
  ASSERT_EQ(devices.size(), 3u);
  for (const auto& d : devices) {
    EXPECT_EQ(d.kind, "regular");
    EXPECT_EQ(d.mount_point, devices[0].mount_point);
    EXPECT_EQ(d.file_system, devices[0].file_system);
    EXPECT_EQ(d.disk, devices[0].disk);
    EXPECT_EQ(d.disk, place(d.target).disk);
  }
  EXPECT_FALSE(devices[0].mount_point.empty());
  EXPECT_EQ(devices[1].target, tree.path("/new"));
}

TEST(TargetFacts, ADeviceNodeHasNoFileSystemAndDisk) {
  const auto null = device_facts(place("/dev/null"));
  EXPECT_EQ(null.kind, "character");
  EXPECT_EQ(null.file_system, "");
  EXPECT_EQ(null.disk, "");
  EXPECT_EQ(device_facts(place("/proc/self")).kind, "directory");
  EXPECT_EQ(place("/proc/self/stat").disk, "");
  EXPECT_EQ(place("").disk, "");
}

TEST(TargetFacts, ALoopDeviceIsABlockDeviceAndItsOwnDisk) {
  const testing::LoopDevice loop;
  if (!loop.ok()) GTEST_SKIP() << loop.skip_reason();
  const auto facts = device_facts(place(loop.path()));
  EXPECT_EQ(facts.kind, "block");
  EXPECT_EQ("/dev/" + facts.disk, loop.path());
  EXPECT_EQ(facts.size_bytes, testing::LoopDevice::kBytes);
  EXPECT_GE(facts.logical_block_bytes, 512u);
  EXPECT_EQ(facts.mount_point, "");
}

TEST(DiskFacts, OfAPartitionAreItsDisksExceptTheSize) {
  const testing::TempTree sys;
  sys.device("ft_a", "90:0");
  sys.device("ft_a1", "90:1", "ft_a");
  sys.file("/sys/class/block/ft_a/size", "2000\n");
  sys.file("/sys/class/block/ft_a1/size", "1000\n");
  sys.file("/sys/class/block/ft_a/device/model", "ACME  Fast 1 \n");
  sys.file("/sys/class/block/ft_a/device/vpd_pg80", std::string("\0\x80\0\x06  SN42", 10));
  sys.file("/sys/class/block/ft_a/queue/scheduler", "none [mq-deadline]\n");
  sys.file("/sys/class/block/ft_a/queue/logical_block_size", "4096\n");
  sys.file("/sys/class/block/ft_a/queue/rotational", "1\n");
  sys.file("/sys/class/block/ft_a/queue/io_poll", "0\n");
  result::DeviceFacts facts;
  disk::add_disk_facts(facts, disk::BlockTree(sys.root()), "ft_a1");
  EXPECT_EQ(facts.disk, "ft_a");
  EXPECT_EQ(facts.size_bytes, 1000u * 512);
  EXPECT_EQ(facts.model, "ACME  Fast 1");
  EXPECT_EQ(facts.serial, "SN42");
  EXPECT_EQ(facts.scheduler, "mq-deadline");
  EXPECT_EQ(facts.logical_block_bytes, 4096u);
  EXPECT_TRUE(facts.rotational);
  EXPECT_TRUE(facts.no_poll);
}

TEST(DiskFacts, MissingFilesLeaveEmptyFields) {
  const testing::TempTree sys;
  sys.device("ft_b", "90:16");
  result::DeviceFacts facts;
  disk::add_disk_facts(facts, disk::BlockTree(sys.root()), "ft_b");
  EXPECT_EQ(facts.disk, "ft_b");
  EXPECT_EQ(facts.model + facts.serial + facts.scheduler, "");
  EXPECT_EQ(facts.size_bytes, 0u);
  EXPECT_FALSE(facts.rotational);
  EXPECT_FALSE(facts.no_poll);
}

TEST(DiskLocator, AnAnonymousDeviceNumberIsResolvedByTheMountsSource) {
  const testing::LoopDevice loop;
  if (!loop.ok()) GTEST_SKIP() << loop.skip_reason();
  mounts::Mount proc;  // /proc has an anonymous number, as btrfs has
  proc.mount_point = "/proc";
  proc.source = loop.path();
  struct stat st {};
  ASSERT_EQ(::stat(loop.path().c_str(), &st), 0);
  EXPECT_EQ(mounts::Locator(std::vector<mounts::Mount>{proc}).device("/proc/self"), st.st_rdev);
  proc.source = "tmpfs";
  EXPECT_EQ(mounts::Locator(std::vector<mounts::Mount>{proc}).device("/proc/self"), 0u);
}

}  // namespace
}  // namespace fathom::host
