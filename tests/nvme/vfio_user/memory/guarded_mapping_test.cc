// A file that is cut short under a mapping: the access goes on with zeroes and the mapping says so; faults that are not
// ours still end the process.
#include "nvme/vfio_user/memory/guarded_mapping.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "nvme/vfio_user/support.h"

namespace fathom::nvme::vfio_user::memory {
namespace {

constexpr int kBoth = PROT_READ | PROT_WRITE;

TEST(GuardedMapping, MapsTheFile) {
  const auto file = test::memory_file(8192);
  ASSERT_EQ(::pwrite(file.get(), "abcd", 4, 4096), 4);
  const auto mapping = GuardedMapping::make(file.get(), 4096, 4096, kBoth, MAP_SHARED);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(std::memcmp(mapping->memory(), "abcd", 4), 0);
  mapping->memory()[0] = std::byte{'x'};
  char c;
  ASSERT_EQ(::pread(file.get(), &c, 1, 4096), 1);
  EXPECT_EQ(c, 'x');
  EXPECT_FALSE(mapping->faulted());
}

TEST(GuardedMapping, ATooShortOrMissingFileIsRefused) {
  const auto file = test::memory_file(8192);
  const auto refused = [](int fd, std::uint64_t offset, std::uint64_t bytes) {
    const auto mapping = GuardedMapping::make(fd, offset, bytes, kBoth, MAP_SHARED);
    return !mapping && mapping.error().sys_errno != 0;
  };
  EXPECT_FALSE(refused(file.get(), 0, 8192));
  EXPECT_TRUE(refused(file.get(), 0, 12288));
  EXPECT_TRUE(refused(file.get(), 4096, 8192));
  EXPECT_TRUE(refused(file.get(), 8192, 4096));
  EXPECT_TRUE(refused(file.get(), 0, 0));
  EXPECT_TRUE(refused(file.get(), ~std::uint64_t{0} - 4095, 8192));
  EXPECT_TRUE(refused(file.get(), 1, 4096)) << "not at a page";
  auto [a, b] = test::peers();
  EXPECT_TRUE(refused(a.fd(), 0, 4096)) << "a socket";
  EXPECT_TRUE(refused(-1, 0, 4096));
}

TEST(GuardedMapping, ATruncatedFileReadsAsZeroesAndIsReported) {
  const auto file = test::memory_file(4 * 4096);
  const auto other = test::memory_file(4096);
  auto mapping = GuardedMapping::make(file.get(), 0, 4 * 4096, kBoth, MAP_SHARED);
  const auto sound = GuardedMapping::make(other.get(), 0, 4096, kBoth, MAP_SHARED);
  ASSERT_TRUE(mapping && sound);
  std::memset(mapping->memory(), 0x55, 4 * 4096);
  const auto before = GuardedMapping::faults();
  ASSERT_EQ(::ftruncate(file.get(), 4096), 0);
  auto* const lost = reinterpret_cast<volatile unsigned char*>(mapping->memory() + 2 * 4096 + 17);
  EXPECT_EQ(*lost, 0);
  *lost = 7;
  EXPECT_EQ(*lost, 7);
  EXPECT_TRUE(mapping->faulted());
  EXPECT_FALSE(sound->faulted());
  EXPECT_EQ(GuardedMapping::faults(), before + 1);
  GuardedMapping moved = std::move(*mapping);
  EXPECT_TRUE(moved.faulted());
}

TEST(GuardedMapping, AReusedSlotHasNotFaulted) {
  for (int i = 0; i < 3; ++i) {
    const auto file = test::memory_file(4096);
    const auto mapping = GuardedMapping::make(file.get(), 0, 4096, kBoth, MAP_SHARED);
    ASSERT_TRUE(mapping);
    EXPECT_FALSE(mapping->faulted());
    ASSERT_EQ(::ftruncate(file.get(), 0), 0);
    EXPECT_EQ(*reinterpret_cast<volatile unsigned char*>(mapping->memory()), 0);
    EXPECT_TRUE(mapping->faulted());
  }
}

TEST(GuardedMappingDeathTest, AFaultElsewhereStillEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto touch_unguarded = [] {
    ::signal(SIGBUS, SIG_DFL);  // what a sanitizer may have put there
    const auto guarded_file = test::memory_file(4096);
    const auto guarded = GuardedMapping::make(guarded_file.get(), 0, 4096, kBoth, MAP_SHARED);
    const auto file = test::memory_file(4096);
    auto* memory = static_cast<volatile unsigned char*>(::mmap(nullptr, 4096, kBoth, MAP_SHARED, file.get(), 0));
    if (!guarded || ::ftruncate(file.get(), 0) != 0) std::_Exit(3);
    memory[0] = 1;
    std::_Exit(0);
  };
  EXPECT_EXIT(touch_unguarded(), ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace fathom::nvme::vfio_user::memory
