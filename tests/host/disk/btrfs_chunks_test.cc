// Bytes of a file among a btrfs' addresses, by chunks that are written down here. Of a real one what is told is tested where
// I/Os are followed (tests/breakdown/btrfs_test.py).
#include "host/disk/btrfs_chunks.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "base/system/fd.h"

namespace fathom::host::disk {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
const std::vector<BtrfsChunk> kChunks = {{16 * kMiB, 8 * kMiB, 100 * kMiB}, {24 * kMiB, 8 * kMiB, 40 * kMiB}};

struct Place {
  std::uint64_t offset, length, physical;
  bool operator==(const Place&) const = default;
};
std::vector<Place> places(std::uint64_t offset, std::uint64_t length, std::uint64_t logical) {
  std::vector<Place> out;
  for (const auto& x : on_device({offset, length, logical, 7}, kChunks)) {
    EXPECT_EQ(x.flags, 7u);
    out.push_back({x.offset, x.length, x.physical});
  }
  return out;
}
using Places = std::vector<Place>;

TEST(BtrfsChunks, ExtentWithinAChunkLiesWhereThatDoes) {
  EXPECT_EQ(places(4096, kMiB, 17 * kMiB), (Places{{4096, kMiB, 101 * kMiB}}));
  EXPECT_EQ(places(0, 8 * kMiB, 16 * kMiB), (Places{{0, 8 * kMiB, 100 * kMiB}}));
}

TEST(BtrfsChunks, ExtentOverTwoChunksIsTwo) {
  EXPECT_EQ(places(0, 2 * kMiB, 23 * kMiB), (Places{{0, kMiB, 107 * kMiB}, {kMiB, kMiB, 40 * kMiB}}));
}

TEST(BtrfsChunks, WhatLiesInNoChunkHasNoPlace) {
  EXPECT_EQ(places(0, kMiB, 0), Places{});
  EXPECT_EQ(places(0, 4 * kMiB, 14 * kMiB), (Places{{2 * kMiB, 2 * kMiB, 100 * kMiB}}));
  EXPECT_EQ(places(0, 4 * kMiB, 30 * kMiB), (Places{{0, 2 * kMiB, 46 * kMiB}}));
}

TEST(BtrfsChunks, AFileOfAnotherFileSystemHasNone) {
  const base::system::UniqueFd fd(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  const auto chunks = btrfs_chunks(fd.get());
  ASSERT_FALSE(chunks);
  EXPECT_EQ(chunks.error().sys_errno, ENOTTY);
}

}  // namespace
}  // namespace fathom::host::disk
