// Parts of chunks: apart from each other, zeroed, at the IOVA that belongs to the memory, and given back when a chunk
// is empty. The device's side is a list of mappings.
#include "nvme/vfio/arena.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

namespace fathom::nvme::vfio {
namespace {

class Mappings : public DmaMap {
 public:
  base::Expected<std::uint64_t> map(std::byte* memory, std::size_t bytes) override {
    if (full) return base::system_error("full", ENOSPC);
    const std::uint64_t iova = next_;
    next_ += bytes + kHugePageBytes;
    now[iova] = {memory, bytes};
    return iova;
  }
  void unmap(std::uint64_t iova, std::size_t bytes) override {
    EXPECT_EQ(now.at(iova).second, bytes);
    now.erase(iova);
  }
  // Where the device's access lands.
  std::byte* reach(std::uint64_t iova) const {
    for (const auto& [first, piece] : now)
      if (iova >= first && iova - first < piece.second) return piece.first + (iova - first);
    return nullptr;
  }
  std::map<std::uint64_t, std::pair<std::byte*, std::size_t>> now;
  bool full = false;

 private:
  std::uint64_t next_ = kHugePageBytes;
};

TEST(Arena, ManyPartsShareOneMapping) {
  Mappings mappings;
  Arena arena(mappings, -1);
  std::vector<DmaMemory> parts;
  for (int i = 0; i < 100; ++i) parts.push_back(*arena.allocate(16384));
  EXPECT_EQ(arena.chunks(), 1u);
  for (const DmaMemory& part : parts) {
    EXPECT_EQ(mappings.reach(part.iova), part.memory);
    EXPECT_EQ(mappings.reach(part.iova + part.bytes - 1), part.memory + part.bytes - 1);
    EXPECT_EQ(part.memory[0], std::byte{0});
    std::memset(part.memory, 1, part.bytes);
  }
  for (const DmaMemory& part : parts) arena.release(part);
  EXPECT_EQ(arena.chunks(), 0u);
  EXPECT_TRUE(mappings.now.empty());
}

TEST(Arena, AnAllocationBeyondAChunkGetsItsOwn) {
  Mappings mappings;
  Arena arena(mappings, -1);
  const DmaMemory small = *arena.allocate(4096);
  const DmaMemory large = *arena.allocate(3 * kHugePageBytes + 1);
  EXPECT_EQ(arena.chunks(), 2u);
  EXPECT_EQ(mappings.reach(large.iova + 3 * kHugePageBytes), large.memory + 3 * kHugePageBytes);
  EXPECT_EQ(mappings.reach(small.iova), small.memory);
  arena.release(large);
  EXPECT_EQ(arena.chunks(), 1u);
}

TEST(Arena, UsedMemoryIsZeroAgain) {
  Mappings mappings;
  Arena arena(mappings, -1);
  const DmaMemory keeps_the_chunk = *arena.allocate(4096);
  const DmaMemory used = *arena.allocate(8192);
  std::memset(used.memory, 0xff, used.bytes);
  arena.release(used);
  const DmaMemory again = *arena.allocate(8192);
  EXPECT_EQ(again.memory, used.memory);
  EXPECT_EQ(again.memory[0], std::byte{0});
  EXPECT_EQ(again.memory[8191], std::byte{0});
  arena.release(keeps_the_chunk);
}

TEST(Arena, TheDestructorUnmapsUnreleasedParts) {
  Mappings mappings;
  {
    Arena arena(mappings, -1);
    ASSERT_TRUE(arena.allocate(4096).ok());
    EXPECT_EQ(mappings.now.size(), 1u);
  }
  EXPECT_TRUE(mappings.now.empty());
}

TEST(Arena, ARefusedMappingIsTheError) {
  Mappings mappings;
  mappings.full = true;
  Arena arena(mappings, -1);
  EXPECT_EQ(arena.allocate(4096).error().sys_errno, ENOSPC);
  EXPECT_EQ(arena.chunks(), 0u);
}

TEST(Pages, AreHugeOrReportedAsSmall) {
  const base::Expected<Pages> pages = take_pages(3 << 20, 0);
  ASSERT_TRUE(pages.ok());
  EXPECT_EQ(pages->bytes, 2 * kHugePageBytes);
  EXPECT_EQ(pages->memory[pages->bytes - 1], std::byte{0});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages->memory) % 4096, 0u);
  if (!pages->huge) {
    EXPECT_NE(pages->shortcoming.find("`fathom nvme setup --huge="), std::string::npos) << pages->shortcoming;
  }
  give_back(*pages);
}

TEST(Pages, BeyondTheAddressSpaceAreRefused) { EXPECT_FALSE(take_pages(std::size_t{1} << 48, -1).ok()); }

}  // namespace
}  // namespace fathom::nvme::vfio
