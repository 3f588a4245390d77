// Where the bytes of an I/O lie, by extents that are written down here; and random ones against a model that knows the
// place of each byte by itself.
#include "split/place_map.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <ostream>
#include <vector>

namespace fathom::split {
namespace {

constexpr std::uint32_t kMappedDisk = 8u << 20 | 16;

struct Stretch {
  std::uint64_t sector;
  unsigned sectors;
  bool operator==(const Stretch&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Stretch& s) { return to << s.sector << "+" << s.sectors; }
using Stretches = std::vector<Stretch>;

// Nothing may be written behind the last piece that there is room for.
Stretches stretches(const PlaceMap& map, std::uint64_t offset, std::uint32_t length) {
  Piece out[kPieces + 1];
  std::memset(out, 0xAA, sizeof out);
  const Piece guard = out[kPieces];
  const unsigned n = map.pieces(offset, length, out);
  EXPECT_LE(n, unsigned{kPieces});
  EXPECT_EQ(std::memcmp(&out[kPieces], &guard, sizeof guard), 0) << "at " << offset << "+" << length;
  Stretches found;
  for (unsigned i = 0; i < n && i < kPieces; ++i) found.push_back({out[i].sector, out[i].sectors});
  return found;
}

TEST(PlaceMap, KnowsNothingWhereNothingWasTold) {
  const PlaceMap map;
  EXPECT_EQ(map.dev(), 0u);
  EXPECT_EQ(stretches(map, 0, 4096), Stretches{});
  EXPECT_EQ(stretches(PlaceMap::file(kMappedDisk, {}), 0, 4096), Stretches{});
}

TEST(PlaceMap, OfADeviceIsTheOffsetItself) {
  const auto map = PlaceMap::device(kMappedDisk, 0);
  EXPECT_EQ(map.dev(), kMappedDisk);
  EXPECT_EQ(stretches(map, 0, 4096), (Stretches{{0, 8}}));
  EXPECT_EQ(stretches(map, 3 << 20, 512), (Stretches{{6144, 1}}));
  EXPECT_EQ(stretches(map, 0xFFF'FFFF'FE00, 512), (Stretches{{0x7'FFFF'FFFF, 1}})) << "more sectors than 32 bits hold";
}

TEST(PlaceMap, OfAPartitionBeginsWhereThatDoes) {
  const auto map = PlaceMap::device(kMappedDisk, 2048);
  EXPECT_EQ(map.dev(), kMappedDisk);
  EXPECT_EQ(stretches(map, 0, 4096), (Stretches{{2048, 8}}));
  EXPECT_EQ(stretches(map, 8192, 1024), (Stretches{{2064, 2}}));
}

TEST(PlaceMap, APartOfASectorIsAWholeOne) {
  EXPECT_EQ(stretches(PlaceMap::device(kMappedDisk, 0), 512, 513), (Stretches{{1, 2}}));
  EXPECT_EQ(stretches(PlaceMap::file(kMappedDisk, {{0, 4096, 800}}), 512, 1), (Stretches{{801, 1}}));
}

// 16 KiB in four extents that follow one another in the file, and on the disk do not; a hole; 4 KiB more.
PlaceMap scattered() {
  return PlaceMap::file(
      kMappedDisk,
      {{4096, 4096, 1000}, {8192, 4096, 5000}, {12288, 4096, 300}, {16384, 4096, 9000}, {24576, 4096, 7000}});
}

TEST(PlaceMap, FindsBytesInsideOneExtent) {
  const auto map = scattered();
  EXPECT_EQ(map.dev(), kMappedDisk);
  EXPECT_EQ(stretches(map, 4096, 4096), (Stretches{{1000, 8}})) << "all of it";
  EXPECT_EQ(stretches(map, 5120, 1024), (Stretches{{1002, 2}})) << "from its middle";
  EXPECT_EQ(stretches(map, 7680, 512), (Stretches{{1007, 1}})) << "its last sector";
  EXPECT_EQ(stretches(map, 8192, 512), (Stretches{{5000, 1}})) << "the first of the next";
  EXPECT_EQ(stretches(map, 24576, 4096), (Stretches{{7000, 8}})) << "the last extent";
}

TEST(PlaceMap, ReachesAcrossExtentsThatFollowOneAnother) {
  const auto map = scattered();
  EXPECT_EQ(stretches(map, 7168, 2048), (Stretches{{1006, 2}, {5000, 2}}));
  EXPECT_EQ(stretches(map, 4096, 8192), (Stretches{{1000, 8}, {5000, 8}}));
  EXPECT_EQ(stretches(map, 7168, 6144), (Stretches{{1006, 2}, {5000, 8}, {300, 2}}));
}

TEST(PlaceMap, HasNoPlaceForMorePiecesThanARegionHolds) {
  static_assert(kPieces == 3);
  const auto map = scattered();
  EXPECT_EQ(stretches(map, 4096, 12288).size(), 3u);
  EXPECT_EQ(stretches(map, 4096, 12288 + 512), Stretches{});
}

TEST(PlaceMap, HasNoPlaceWhereAByteLiesInAHole) {
  const auto map = scattered();
  EXPECT_EQ(stretches(map, 20480, 512), Stretches{}) << "the hole alone";
  EXPECT_EQ(stretches(map, 24064, 512), Stretches{}) << "its end";
  EXPECT_EQ(stretches(map, 19968, 1024), Stretches{}) << "from before it";
  EXPECT_EQ(stretches(map, 24064, 1024), Stretches{}) << "to behind it";
  EXPECT_EQ(stretches(map, 16384, 12288), Stretches{}) << "over all of it";
  EXPECT_EQ(stretches(map, 19968, 512), (Stretches{{9007, 1}})) << "up to it";
}

TEST(PlaceMap, HasNoPlaceBeforeTheFirstExtentAndBehindTheLast) {
  const auto map = scattered();
  EXPECT_EQ(stretches(map, 0, 512), Stretches{});
  EXPECT_EQ(stretches(map, 0, 8192), Stretches{}) << "begins before it";
  EXPECT_EQ(stretches(map, 28160, 1024), Stretches{}) << "ends behind it";
  EXPECT_EQ(stretches(map, 28672, 512), Stretches{});
  EXPECT_EQ(stretches(map, std::uint64_t{1} << 40, 512), Stretches{});
}

// Where each byte lies on the disk (its number there), and in which extent; -1: nowhere.
struct Model {
  std::vector<std::int64_t> byte;
  std::vector<int> extent;
};

struct Case {
  std::vector<PlacedExtent> extents;
  Model model;
};

Case any_case() {
  Case out;
  const int n = *rc::gen::inRange(0, 12);
  std::uint64_t offset = 0, sector = *rc::gen::inRange<std::uint64_t>(0, 100);
  for (int i = 0; i < n; ++i) {
    if (*rc::gen::inRange(0, 5) == 4) offset += 512 * *rc::gen::inRange<std::uint64_t>(1, 5);
    if (*rc::gen::arbitrary<bool>()) sector = *rc::gen::inRange<std::uint64_t>(0, 1 << 20);
    const std::uint64_t length = 512 * *rc::gen::inRange<std::uint64_t>(1, 7);
    out.extents.push_back({offset, length, sector});
    out.model.byte.resize(offset, -1);
    out.model.extent.resize(offset, -1);
    for (std::uint64_t b = 0; b < length; ++b) {
      out.model.byte.push_back(static_cast<std::int64_t>(sector * 512 + b));
      out.model.extent.push_back(i);
    }
    offset += length;
    sector += length / 512;
  }
  out.model.byte.resize(offset + 1024, -1);
  out.model.extent.resize(offset + 1024, -1);
  return out;
}

RC_GTEST_PROP(PlaceMapProperty, PlacesEachByteWhereTheModelDoes, ()) {
  const Case c = any_case();
  const auto map = PlaceMap::file(kMappedDisk, c.extents);
  const std::uint64_t sectors = c.model.byte.size() / 512;
  for (std::uint64_t first = 0; first < sectors; ++first) {
    const std::uint64_t offset = first * 512, most = std::min<std::uint64_t>(sectors - first, 16);
    const auto length = static_cast<std::uint32_t>(512 * *rc::gen::inRange<std::uint64_t>(1, most + 1));
    const auto from = c.model.byte.begin() + static_cast<std::ptrdiff_t>(offset);
    std::vector<std::int64_t> wanted(from, from + length);
    const bool known = std::find(wanted.begin(), wanted.end(), -1) == wanted.end();
    const int touched = known ? c.model.extent[offset + length - 1] - c.model.extent[offset] + 1 : 0;
    if (!known || touched > kPieces) wanted.clear();
    std::vector<std::int64_t> found;
    for (const auto& s : stretches(map, offset, length))
      for (std::uint64_t b = 0; b < std::uint64_t{s.sectors} * 512; ++b)
        found.push_back(static_cast<std::int64_t>(s.sector * 512 + b));
    RC_ASSERT(found == wanted);
  }
}

TEST(PlaceMap, PiecesHoldEverySectorOfAnIoThatIsNotAligned) {
  Piece out[kPieces];
  ASSERT_EQ(PlaceMap::file(1, {{0, 8192, 800}}).pieces(3900, 400, out), 1u);  // bytes of sectors 7 and 8
  EXPECT_EQ(out[0].sector, 807u);
  EXPECT_EQ(out[0].sectors, 2u);
  ASSERT_EQ(PlaceMap::device(1, 0).pieces(3900, 400, out), 1u);
  EXPECT_EQ(out[0].sectors, 2u);
}

TEST(PlaceMap, PiecesOfReservedExtentsSaySo) {
  Piece out[kPieces];
  const auto map = PlaceMap::file(1, {{0, 4096, 800, false}, {4096, 4096, 900, true}});
  ASSERT_EQ(map.pieces(0, 8192, out), 2u);
  EXPECT_EQ(out[0].reserved, 0u);
  EXPECT_EQ(out[1].reserved, 1u);
  EXPECT_TRUE(map.any_reserved());
  EXPECT_FALSE(PlaceMap::file(1, {{0, 4096, 800, false}}).any_reserved());
}

// Something is there, but not where: compressed, within its inode.
TEST(PlaceMap, HasNoPlaceWhereAnExtentIsNotKnown) {
  const auto map = PlaceMap::file(kMappedDisk, {{0, 4096, 800}, {4096, 4096, 0, false, false}, {8192, 4096, 900}});
  EXPECT_EQ(stretches(map, 0, 4096), (Stretches{{800, 8}}));
  EXPECT_EQ(stretches(map, 4096, 4096), Stretches{});
  EXPECT_EQ(stretches(map, 2048, 4096), Stretches{}) << "from before it";
  EXPECT_EQ(stretches(map, 6144, 4096), Stretches{}) << "to behind it";
  EXPECT_EQ(stretches(map, 8192, 4096), (Stretches{{900, 8}}));
}

TEST(PlaceMap, OfReservedAndMissingBytesNoneWasEverWritten) {
  const auto map =
      PlaceMap::file(kMappedDisk, {{4096, 4096, 800}, {8192, 4096, 900, true}, {16384, 4096, 0, false, false}});
  EXPECT_TRUE(map.empty(0, 4096)) << "a hole before the first";
  EXPECT_TRUE(map.empty(8192, 4096)) << "only reserved";
  EXPECT_TRUE(map.empty(8192, 8192)) << "reserved, and a hole behind";
  EXPECT_TRUE(map.empty(12288, 4096)) << "a hole";
  EXPECT_TRUE(map.empty(1 << 20, 4096)) << "behind the last";
  EXPECT_FALSE(map.empty(0, 4097)) << "to the first byte that was written";
  EXPECT_FALSE(map.empty(8191, 4096)) << "from the last one";
  EXPECT_FALSE(map.empty(4096, 512));
  EXPECT_FALSE(map.empty(5120, 512)) << "in the middle of it";
  EXPECT_FALSE(map.empty(12288, 8192)) << "to what is there, but not where";
  EXPECT_TRUE(PlaceMap::file(kMappedDisk, {}).empty(0, 4096)) << "a file without extents";
}

TEST(PlaceMap, OfDevicesAndOfWhatNothingIsKnownNothingIsEmpty) {
  EXPECT_FALSE(PlaceMap::device(kMappedDisk, 0).empty(0, 4096));
  EXPECT_FALSE(PlaceMap().empty(0, 4096));
}

TEST(PlaceMap, CoversWhatItKnowsFromTheStartWithoutAGap) {
  const auto map = PlaceMap::file(kMappedDisk, {{0, 4096, 800}, {4096, 4096, 300, true}, {12288, 4096, 900}});
  EXPECT_TRUE(map.covers(0));
  EXPECT_TRUE(map.covers(4096));
  EXPECT_TRUE(map.covers(8192)) << "reserved bytes have their place";
  EXPECT_FALSE(map.covers(8193));
  EXPECT_FALSE(map.covers(16384)) << "there is a hole";
  EXPECT_FALSE(PlaceMap::file(kMappedDisk, {{4096, 4096, 800}}).covers(4096)) << "at its start";
  const auto untold = PlaceMap::file(kMappedDisk, {{0, 4096, 800}, {4096, 4096, 0, false, false}, {8192, 4096, 900}});
  EXPECT_TRUE(untold.covers(4096));
  EXPECT_FALSE(untold.covers(12288));
  EXPECT_TRUE(PlaceMap::device(kMappedDisk, 0).covers(std::uint64_t{1} << 50));
  EXPECT_TRUE(PlaceMap().covers(0));
  EXPECT_FALSE(PlaceMap().covers(1));
}

}  // namespace
}  // namespace fathom::split
