// Buffers: aligned, apart, incompressible, from the seed.
#include "workload/buffers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace fathom::workload {
namespace {

TEST(Buffers, one_page_or_more_each_and_aligned) {
  auto pool = BufferPool::make(5, 5000, 1);
  ASSERT_TRUE(pool.ok());
  EXPECT_EQ(pool->stride() % 4096, 0u);
  EXPECT_GE(pool->stride(), 5000u);
  for (std::uint32_t slot = 0; slot < 5; ++slot) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool->at(slot)) % 4096, 0u);
  EXPECT_EQ(pool->at(1), pool->base() + pool->stride());
}

TEST(Buffers, bytes_are_uniform_and_from_the_seed) {
  auto one = BufferPool::make(16, 65536, 1), again = BufferPool::make(16, 65536, 1),
       other = BufferPool::make(16, 65536, 2);
  const std::size_t bytes = 16 * 65536;
  EXPECT_EQ(std::memcmp(one->base(), again->base(), bytes), 0);
  EXPECT_NE(std::memcmp(one->base(), other->base(), bytes), 0);
  std::array<double, 256> counts{};
  for (std::size_t i = 0; i < bytes; ++i) ++counts[std::to_integer<std::size_t>(one->base()[i])];
  double chi = 0;
  for (const double count : counts) chi += (count - bytes / 256.0) * (count - bytes / 256.0) / (bytes / 256.0);
  EXPECT_LT(chi, 255 + 4 * std::sqrt(2 * 255.0));
}

TEST(Buffers, move_keeps_the_memory) {
  auto pool = BufferPool::make(1, 4096, 1);
  std::byte* const base = pool->base();
  BufferPool moved = std::move(*pool);
  EXPECT_EQ(moved.base(), base);
  auto other = BufferPool::make(1, 4096, 2);
  BufferPool assigned = std::move(*other);
  assigned = std::move(moved);
  EXPECT_EQ(assigned.base(), base);
}

TEST(Buffers, that_are_shared_cannot_be_cut_short) {
  auto pool = BufferPool::make(4, 4096, 1, true);
  ASSERT_TRUE(pool.ok());
  const int fd = pool->view().fd;
  EXPECT_EQ(::fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  EXPECT_NE(::ftruncate(fd, 0), 0);
}

TEST(Buffers, too_much_is_an_error) {
  EXPECT_FALSE(BufferPool::make(0xffffffff, std::size_t{1} << 50, 1).ok());
  EXPECT_FALSE(BufferPool::make(1u << 20, std::size_t{1} << 40, 1).ok());
}

TEST(Buffers, scramble_makes_every_sector_differ) {
  auto pool = BufferPool::make(1, 8192, 1);
  std::memset(pool->base(), 0, 8192);
  scramble(pool->base(), 8192, 4096, 99);
  for (int sector = 1; sector < 16; ++sector) EXPECT_NE(std::memcmp(pool->base(), pool->base() + sector * 512, 512), 0);
}

}  // namespace
}  // namespace fathom::workload
