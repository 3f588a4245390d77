// DiskStats on a made-up /sys and on a loop device that is really written.
#include "host/disk_stats.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/loop_device.h"
#include "host/placement/placement.h"
#include "host/temp_tree.h"

namespace fathom::host {
namespace {

TEST(DiskStats, MembersOfAStackAreListedUnderIt) {
  const testing::TempTree sys;
  sys.device("ft_a", "90:0");
  sys.device("ft_a1", "90:1", "ft_a");
  sys.device("ft_a2", "90:2", "ft_a");
  sys.device("ft_b", "90:16");
  sys.device("ft_dm0", "91:0");
  for (const auto* lower : {"ft_a1", "ft_a2", "ft_b"}) sys.built_on("ft_dm0", lower);
  sys.file("/sys/class/block/ft_dm0/stat", "0 0 0 0 0 0 0 0 0 0 0\n");
  sys.file("/sys/class/block/ft_a/stat", "100 0 0 0 0 0 0 0 0 0 0\n");
  sys.file("/sys/class/block/ft_b/stat", "0 0 0 0 7 0 0 0 0 0 0\n");
  DiskStats stats({"ft_dm0"}, sys.root());
  stats.begin();
  sys.file("/sys/class/block/ft_dm0/stat", "5 0 40 0 6 0 48 0 0 1000000 0\n");
  sys.file("/sys/class/block/ft_a/stat", "103 0 0 0 0 0 0 0 0 0 0\n");
  sys.file("/sys/class/block/ft_b/stat", "0 0 0 0 9 0 0 0 0 0 0\n");
  const auto disks = stats.end();
  ASSERT_EQ(disks.size(), 1u);
  EXPECT_EQ(disks[0].name, "ft_dm0");
  EXPECT_EQ(disks[0].read_ios, 5u);
  EXPECT_EQ(disks[0].read_sectors, 40u);
  EXPECT_EQ(disks[0].write_sectors, 48u);
  EXPECT_DOUBLE_EQ(disks[0].util_percent, 100.0);
  ASSERT_EQ(disks[0].members.size(), 2u);  // two partitions of one disk are one member
  EXPECT_EQ(disks[0].members[0].name, "ft_a");
  EXPECT_EQ(disks[0].members[0].read_ios, 3u);
  EXPECT_EQ(disks[0].members[1].write_ios, 2u);
}

TEST(DiskStats, AVanishedDiskCountsNothing) {
  const testing::TempTree sys;
  sys.device("ft_a", "90:0");
  sys.file("/sys/class/block/ft_a/stat", "100 0 0 0 0 0 0 0 0 0 0\n");
  DiskStats stats({"ft_a"}, sys.root());
  std::filesystem::remove(sys.path("/sys/class/block/ft_a/stat"));
  EXPECT_EQ(stats.end()[0].read_ios, 0u);
}

TEST(DiskStats, CountsWhatIsWrittenToALoopDevice) {
  const testing::LoopDevice loop;
  if (!loop.ok()) GTEST_SKIP() << loop.skip_reason();
  DiskStats stats({placement::place(loop.path()).disk});
  stats.begin();
  constexpr std::size_t kBytes = 1 << 20;
  loop.put(0, std::string(kBytes, 'x'));
  const auto disks = stats.end();
  ASSERT_EQ(disks.size(), 1u);
  EXPECT_EQ(disks[0].write_sectors * 512, kBytes);
  EXPECT_GT(disks[0].write_ios, 0u);
  EXPECT_LE(disks[0].util_percent, 100.0);
}

}  // namespace
}  // namespace fathom::host
