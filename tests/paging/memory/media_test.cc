// Where a run's pages go: what is none of theirs is not among it.
#include "paging/memory/media.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "host/placement/placement.h"
#include "paging/temporary_file.h"

namespace fathom::paging::memory {
namespace {

using ::testing::HasSubstr;

result::PagingSwap swap_on(const std::string& kind, const std::string& disk) {
  result::PagingSwap swap;
  swap.kind = kind;
  swap.disk = disk;
  swap.path = swap.name = "/dev/" + disk;
  swap.size_bytes = 1 << 20;
  return swap;
}

Plan plan_of(Memory memory, const std::string& file = "") {
  Plan plan;
  plan.region.memory = memory;
  plan.region.file = file;
  plan.region.set_bytes = 8 << 20;
  return plan;
}

std::vector<std::string> disks(const std::vector<Medium>& media) {
  std::vector<std::string> names;
  for (const auto& medium : media) names.push_back(medium.disk);
  return names;
}

const std::vector<result::PagingSwap> kBoth = {swap_on("zram", "zram7"), swap_on("current", "zram8")};
using Names = std::vector<std::string>;

std::vector<Medium> media_at(const Plan& plan, const std::vector<result::PagingSwap>& swaps) {
  host::placement::Placements placements;
  return media_of(plan, swaps, placements);
}

TEST(MediaOf, AnonymousMemoryUsesEveryActiveSwap) {
  EXPECT_EQ(disks(media_at(plan_of(Memory::anonymous), kBoth)), (Names{"zram7", "zram8"}));
  EXPECT_EQ(disks(media_at(plan_of(Memory::memfd), kBoth)), (Names{"zram7", "zram8"}));
}

TEST(MediaOf, HugetlbMemoryUsesNone) {
  EXPECT_TRUE(media_at(plan_of(Memory::hugetlb), kBoth).empty());
  EXPECT_FALSE(can_be_swapped(plan_of(Memory::hugetlb)));
}

TEST(MediaOf, SwapNoneIsNoMedium) {
  auto none = swap_on("none", "");
  none.path = "";
  EXPECT_TRUE(media_at(plan_of(Memory::anonymous), {none}).empty());
}

TEST(MediaOf, ASharedFileUsesItsDiskAndNoSwap) {
  const TemporaryFile file("some text");
  const auto media = media_at(plan_of(Memory::file_shared, file.path()), kBoth);
  ASSERT_EQ(media.size(), 1u);
  EXPECT_EQ(media[0].disk, host::placement::place(file.path()).disk);
  EXPECT_EQ(media[0].path, file.path());
  EXPECT_EQ(media[0].size_bytes, 8u << 20);
}

TEST(MediaOf, AnUnnamedFileUsesTheDiskOfItsFolder) {
  const auto media = media_at(plan_of(Memory::file_shared, "/var/tmp"), kBoth);
  ASSERT_EQ(media.size(), 1u);
  EXPECT_EQ(media[0].disk, host::placement::place("/var/tmp").disk);
  EXPECT_EQ(media[0].path, "");
  EXPECT_FALSE(media[0].cause.empty());
}

TEST(MediaOf, WrittenPagesOfAPrivateMapUseSwap) {
  auto plan = plan_of(Memory::file_private, "/var/tmp");
  EXPECT_EQ(media_at(plan, kBoth).size(), 3u);
  plan.pattern.read_percent = 100;
  EXPECT_EQ(media_at(plan, kBoth).size(), 1u);
  plan.region.fill = Fill::random;
  EXPECT_EQ(media_at(plan, kBoth).size(), 3u);
}

TEST(MediaOf, AFileOnTmpfsUsesSwapAndNoDisk) {
  EXPECT_EQ(disks(media_at(plan_of(Memory::file_shared, "/dev/shm"), kBoth)), (Names{"zram7", "zram8"}));
}

TEST(MediaOf, AFileWithoutADiskHasACause) {
  const auto media = media_at(plan_of(Memory::file_shared, "/proc/version"), kBoth);
  ASSERT_EQ(media.size(), 1u);
  EXPECT_EQ(media[0].disk, "");
  EXPECT_THAT(media[0].cause, HasSubstr("no disk is known under /proc/version"));
}

TEST(MediaOf, LeaveOutForeignDropsSwapThatThePagesNeverReach) {
  auto swaps = kBoth;
  leave_out_foreign(plan_of(Memory::anonymous), swaps);
  EXPECT_EQ(swaps.size(), 2u);
  leave_out_foreign(plan_of(Memory::file_shared, "/var/tmp"), swaps);
  ASSERT_EQ(swaps.size(), 1u);
  EXPECT_EQ(swaps[0].disk, "zram7") << "the run's own is what was asked for";
  swaps = {swap_on("current", "zram8")};
  leave_out_foreign(plan_of(Memory::hugetlb), swaps);
  ASSERT_EQ(swaps.size(), 1u);
  EXPECT_EQ(swaps[0].kind, "none");
}

}  // namespace
}  // namespace fathom::paging::memory
