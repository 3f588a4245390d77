// IOVAs from low addresses within what VFIO reports: both widths of an emulated Intel IOMMU, the hole for interrupts,
// and a long random run against a plain model.
#include "nvme/vfio/iova_allocator.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fathom::nvme::vfio {
namespace {

constexpr std::uint64_t kPage = 4096, kHuge = 2 << 20;
const std::vector<IovaRange> kBits39 = {{0, 0xfedfffff}, {0xfef00000, 0x7fffffffff}};

TEST(IovaAllocator, TakesTheLowestAddressButPageZero) {
  IovaAllocator iovas(kBits39, kPage);
  EXPECT_EQ(iovas.allocate(1, 0), kPage);
  EXPECT_EQ(iovas.allocate(kPage + 1, 0), 2 * kPage);
  EXPECT_EQ(iovas.allocate(kPage, 0), 4 * kPage);
}

TEST(IovaAllocator, AlignsForHugePages) {
  IovaAllocator iovas(kBits39, kPage);
  EXPECT_EQ(iovas.allocate(kHuge, kHuge), kHuge);
  EXPECT_EQ(iovas.allocate(kPage, 0), kPage);
  EXPECT_EQ(iovas.allocate(kHuge, kHuge), 2 * kHuge);
}

TEST(IovaAllocator, ReleasedRangesAreMergedAndReused) {
  IovaAllocator iovas(kBits39, kPage);
  const std::uint64_t a = *iovas.allocate(kPage, 0), b = *iovas.allocate(kPage, 0), c = *iovas.allocate(kPage, 0);
  iovas.release(a, kPage);
  iovas.release(c, kPage);
  EXPECT_EQ(iovas.allocate(2 * kPage, 0), c);
  iovas.release(c, 2 * kPage);
  iovas.release(b, kPage);
  EXPECT_TRUE(iovas.all_free());
  EXPECT_EQ(iovas.allocate(3 * kPage, 0), a);
}

TEST(IovaAllocator, TheInterruptHoleIsNeverGiven) {
  IovaAllocator iovas(kBits39, kPage);
  constexpr std::uint64_t kBlock = 256 << 20;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t iova = *iovas.allocate(kBlock, kHuge);
    EXPECT_TRUE(iova + kBlock <= 0xfee00000 || iova >= 0xfef00000) << std::hex << iova;
  }
}

TEST(IovaAllocator, NothingIsAllocatedBeyond39Bits) {
  IovaAllocator iovas(kBits39, kPage);
  EXPECT_EQ(iovas.allocate(1ull << 39, 0), std::nullopt);
  const std::uint64_t most = (1ull << 39) - 0xfef00000;
  EXPECT_EQ(iovas.allocate(most, 0), 0xfef00000u);
  EXPECT_EQ(iovas.allocate(1ull << 33, 0), std::nullopt);
}

TEST(IovaAllocator, TheLastPageOfTheAddressSpaceIsUsable) {
  const IovaRange whole{~std::uint64_t{0} - 2 * kPage + 1, ~std::uint64_t{0}};
  IovaAllocator iovas({&whole, 1}, kPage);
  EXPECT_EQ(iovas.allocate(3 * kPage, 0), std::nullopt);
  const std::uint64_t iova = *iovas.allocate(2 * kPage, 0);
  EXPECT_EQ(iova, whole.first);
  iovas.release(iova, 2 * kPage);
  EXPECT_EQ(iovas.allocate(kPage, 0), whole.first);
}

TEST(IovaAllocator, UnalignedRangesAreCutToPages) {
  const std::vector<IovaRange> ranges = {{kPage + 1, 3 * kPage + 5}, {5 * kPage + 1, 5 * kPage + 9}};
  IovaAllocator iovas(ranges, kPage);
  EXPECT_EQ(iovas.allocate(kPage, 0), 2 * kPage);
  EXPECT_EQ(iovas.allocate(kPage, 0), std::nullopt);
}

TEST(IovaAllocator, NoBytesOrNoRangesAllocateNothing) {
  IovaAllocator none({}, kPage);
  EXPECT_EQ(none.allocate(kPage, 0), std::nullopt);
  IovaAllocator iovas(kBits39, kPage);
  EXPECT_EQ(iovas.allocate(0, 0), std::nullopt);
}

TEST(IovaAllocator, RandomAllocationsNeverOverlap) {
  const IovaRange range{0, 1024 * kPage - 1};
  IovaAllocator iovas({&range, 1}, kPage);
  std::vector<bool> taken(1024, false);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> held;
  std::mt19937_64 random(7);  // NOLINT(cert-msc51-cpp): the same run every time
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t pages = random() % 40 + 1, alignment = kPage << random() % 4;
    if (random() % 2 == 0) {
      const std::optional<std::uint64_t> iova = iovas.allocate(pages * kPage, alignment);
      if (!iova) continue;
      ASSERT_EQ(*iova % alignment, 0u);
      for (std::uint64_t p = *iova / kPage; p < *iova / kPage + pages; ++p) {
        ASSERT_FALSE(taken[p]);
        taken[p] = true;
      }
      held.emplace_back(*iova, pages);
    } else if (!held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      const auto [iova, count] = held.back();
      held.pop_back();
      iovas.release(iova, count * kPage);
      for (std::uint64_t p = iova / kPage; p < iova / kPage + count; ++p) taken[p] = false;
    }
  }
  for (const auto& [iova, pages] : held) iovas.release(iova, pages * kPage);
  EXPECT_TRUE(iovas.all_free());
  EXPECT_EQ(iovas.allocate(1023 * kPage, 0), kPage);
}

}  // namespace
}  // namespace fathom::nvme::vfio
