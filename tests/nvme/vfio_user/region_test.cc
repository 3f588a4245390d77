// A region's description as bytes, well-formed as SPDK and libvfio-user send it, and in every wrong way.
#include "nvme/vfio_user/region.h"

#include <gtest/gtest.h>

#include "nvme/vfio_user/support.h"

namespace fathom::nvme::vfio_user {
namespace {

using test::hex;

// argsz 64, read | write | mmap | caps, index 0, capabilities at 32, 16 KiB, file offset 0; sparse mmap: 0x1000-0x2000.
constexpr const char* kInfo = "40000000 0f000000 00000000 20000000 0040000000000000 0000000000000000";
constexpr const char* kSparse = "0100 0100 00000000 01000000 00000000 0010000000000000 0010000000000000";

std::optional<RegionLayout> read(const std::string& text, std::uint32_t index = 0) {
  return read_region_info(hex(text), index);
}

TEST(RegionInfo, SparseAreasAreRead) {
  const auto region = read(std::string(kInfo) + kSparse);
  ASSERT_TRUE(region);
  EXPECT_EQ(region->bytes, 0x4000u);
  ASSERT_EQ(region->areas.size(), 1u);
  EXPECT_EQ(region->areas[0].offset, 0x1000u);
  EXPECT_EQ(region->areas[0].bytes, 0x1000u);
  EXPECT_EQ(area_with(*region, 0x1000), 0u);
  EXPECT_EQ(area_with(*region, 0x1fff), 0u);
  EXPECT_FALSE(area_with(*region, 0xfff));
  EXPECT_FALSE(area_with(*region, 0x2000));
}

TEST(RegionInfo, SeveralAreasAndCapabilitiesAreParsed) {
  // A type capability (id 2) first, then two areas: 0x3000-0x4000 and 0x1000-0x2000.
  const auto region = read(std::string("60000000 0f000000 00000000 20000000 0040000000000000 0000000000000000") +
                           "0200 0100 30000000 03000000 01000000" +
                           "0100 0100 00000000 02000000 00000000 0030000000000000 0010000000000000" +
                           "0010000000000000 0010000000000000");
  ASSERT_TRUE(region);
  ASSERT_EQ(region->areas.size(), 2u);
  EXPECT_EQ(area_with(*region, 0x1000), 1u);
}

TEST(RegionInfo, AMappableRegionWithoutCapabilitiesIsOneArea) {
  const auto region = read("20000000 07000000 00000000 00000000 0020000000000000 0040000000000000");
  ASSERT_TRUE(region);
  EXPECT_EQ(region->file_offset, 0x4000u);
  EXPECT_EQ(area_with(*region, 0x1000), 0u);
}

TEST(RegionInfo, AnUnmappableRegionHasNoArea) {
  const auto region = read("20000000 03000000 00000000 00000000 0040000000000000 0000000000000000");
  ASSERT_TRUE(region);
  EXPECT_FALSE(area_with(*region, 0x1000));
}

TEST(RegionInfo, MalformedDescriptionsAreRefused) {
  const auto whole = std::string(kInfo) + kSparse;
  const auto bytes = hex(whole);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(read_region_info(std::span(bytes).first(length), 0)) << length;
  EXPECT_FALSE(read(whole, 1)) << "another region was asked for";
  EXPECT_FALSE(read(std::string("40000000 0f000000 00000000 ffffffff 0040000000000000 0000000000000000") + kSparse));
  EXPECT_FALSE(read(std::string(kInfo) + "0100 0100 f0ffffff 01000000 00000000 0010000000000000 0010000000000000"));
  EXPECT_FALSE(read(std::string(kInfo) + "0100 0100 00000000 ffffffff 00000000 0010000000000000 0010000000000000"));
}

TEST(RegionInfo, AChainInCirclesEnds) {
  EXPECT_TRUE(read(std::string(kInfo) + "0900 0100 20000000 01000000 00000000 0010000000000000 0010000000000000"));
}

TEST(AreaWith, AcceptsOnlyWholePagesWithinTheRegion) {
  RegionLayout region{.flags = 0xf, .bytes = 0x4000, .file_offset = 0, .areas = {{0x1000, 0x1000}}};
  EXPECT_TRUE(area_with(region, 0x1000));
  region.areas = {{0x1000, 0x4000}};
  EXPECT_FALSE(area_with(region, 0x1000)) << "longer than the region";
  region.areas = {{0x1000, ~std::uint64_t{0xfff}}};
  EXPECT_FALSE(area_with(region, 0x1000)) << "wraps";
  region.areas = {{0x800, 0x1000}};
  EXPECT_FALSE(area_with(region, 0x1000)) << "not at a page";
  region.areas = {{0x1000, 0x1000}};
  region.file_offset = 0x10;
  EXPECT_FALSE(area_with(region, 0x1000)) << "not at a page of the file";
}

}  // namespace
}  // namespace fathom::nvme::vfio_user
