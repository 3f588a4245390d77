// Buffers: aligned, apart, incompressible, from the seed; what a write is stamped with.
#include "workload/bytes/buffers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "workload/bytes/randomness.h"

namespace fathom::workload::bytes {
namespace {

TEST(BufferPool, buffers_are_page_aligned_and_apart) {
  auto pool = BufferPool::make(5, 5000, 1);
  ASSERT_TRUE(pool.ok());
  EXPECT_EQ(pool->stride() % 4096, 0u);
  EXPECT_GE(pool->stride(), 5000u);
  for (std::uint32_t slot = 0; slot < 5; ++slot) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool->at(slot)) % 4096, 0u);
  EXPECT_EQ(pool->at(1), pool->base() + pool->stride());
}

TEST(BufferPool, bytes_do_not_repeat_and_come_from_the_seed) {
  auto one = BufferPool::make(16, 65536, 1), again = BufferPool::make(16, 65536, 1),
       other = BufferPool::make(16, 65536, 2);
  const std::size_t bytes = 16 * 65536;
  EXPECT_EQ(std::memcmp(one->base(), again->base(), bytes), 0);
  EXPECT_NE(std::memcmp(one->base(), other->base(), bytes), 0);
  EXPECT_EQ(blocks_of({one->base(), bytes}).size(), bytes / 4096);
  for (std::size_t place = 2; place < 8; ++place) EXPECT_GT(entropy({one->base(), bytes}, place), 7.99) << place;
}

TEST(BufferPool, move_keeps_the_memory) {
  auto pool = BufferPool::make(1, 4096, 1);
  std::byte* const base = pool->base();
  BufferPool moved = std::move(*pool);
  EXPECT_EQ(moved.base(), base);
  auto other = BufferPool::make(1, 4096, 2);
  BufferPool assigned = std::move(*other);
  assigned = std::move(moved);
  EXPECT_EQ(assigned.base(), base);
}

TEST(BufferPool, shared_memory_cannot_be_truncated) {
  auto pool = BufferPool::make(4, 4096, 1, true);
  ASSERT_TRUE(pool.ok());
  const int fd = pool->view().fd;
  EXPECT_EQ(::fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  EXPECT_NE(::ftruncate(fd, 0), 0);
}

TEST(BufferPool, more_than_fits_memory_is_an_error) {
  EXPECT_FALSE(BufferPool::make(0xffffffff, std::size_t{1} << 50, 1).ok());
  EXPECT_FALSE(BufferPool::make(1u << 20, std::size_t{1} << 40, 1).ok());
}

TEST(Scramble, stamps_24_bytes_of_each_sector) {
  std::vector<std::uint64_t> words(2 * 64 + 1);
  const std::uint64_t moment = 0x0000123456789abc;
  scramble(reinterpret_cast<std::byte*>(words.data()), 1024 + 8, 1 << 20, 3 * 64, moment);
  std::vector<std::uint64_t> expected(words.size());
  for (std::size_t sector = 0; sector < 2; ++sector) {
    expected[sector * 64 + 3 * 8] = (1 << 20) + sector * 512;
    expected[sector * 64 + 6] = moment;
  }
  EXPECT_EQ(words, expected);
}

// effect: iomem_align
TEST(BufferPool, iomem_align_offsets_every_buffer_from_its_page) {
  job::fields::BufferMemory memory;
  memory.align_bytes = 512;
  for (const auto kind :
       {job::fields::MemoryKind::malloc, job::fields::MemoryKind::shm, job::fields::MemoryKind::mmap}) {
    memory.kind = kind;
    auto pool = BufferPool::make(4, 8192, 1, false, memory);
    ASSERT_TRUE(pool.ok());
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool->at(slot)) % 4096, 512u);
      std::memset(pool->at(slot), 1, 8192);
    }
  }
}

}  // namespace
}  // namespace fathom::workload::bytes
