// VFIO's answers as bytes written by hand from linux/vfio.h: IOVA ranges, page sizes, regions with and without sparse
// areas, and chains that lead nowhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/vfio.h>

#include <cstring>
#include <vector>

#include "nvme/vfio/iommu_info.h"
#include "nvme/vfio/region.h"

namespace fathom::nvme::vfio {
namespace {

using ::testing::ElementsAre;

class Answer {
 public:
  template <class T>
  Answer& add(const T& value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(bytes_.size()); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

vfio_info_cap_header capability(std::uint16_t id, std::uint32_t next) { return {.id = id, .version = 1, .next = next}; }

vfio_iommu_type1_info iommu(std::uint32_t flags, std::uint32_t first) {
  vfio_iommu_type1_info info{};
  info.flags = flags;
  info.iova_pgsizes = 0x40201000;
  info.cap_offset = first;
  return info;
}

constexpr std::uint32_t kHead = sizeof(vfio_iommu_type1_info);
constexpr std::uint32_t kAll = VFIO_IOMMU_INFO_PGSIZES | VFIO_IOMMU_INFO_CAPS;

TEST(IommuInfo, RangesPageSizeAndMappingsAreParsed) {
  Answer answer;
  answer.add(iommu(kAll, kHead));
  answer.add(vfio_iommu_type1_info_dma_avail{capability(VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL, kHead + 12), 65535});
  answer.add(capability(VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE, 0)).add(std::uint32_t{2}).add(std::uint32_t{0});
  answer.add(vfio_iova_range{0, 0xfedfffff}).add(vfio_iova_range{0xfef00000, 0x7fffffffff});
  const IommuInfo info = parse_iommu_info(answer.bytes());
  EXPECT_EQ(info.page_bytes, 4096u);
  EXPECT_EQ(info.mappings_left, 65535u);
  EXPECT_THAT(info.ranges, ElementsAre(IovaRange{0, 0xfedfffff}, IovaRange{0xfef00000, 0x7fffffffff}));
}

TEST(IommuInfo, WithoutRanges39BitsAreAssumed) {
  Answer answer;
  answer.add(iommu(VFIO_IOMMU_INFO_PGSIZES, 0));
  for (const std::span<const std::byte> bytes : {answer.bytes(), std::span<const std::byte>()}) {
    const IommuInfo info = parse_iommu_info(bytes);
    EXPECT_THAT(info.ranges, ElementsAre(IovaRange{0, 0xfedfffff}, IovaRange{0xfef00000, 0x7fffffffff}));
  }
}

TEST(IommuInfo, ACapabilityChainBackwardsOrOutsideEnds) {
  for (const std::uint32_t next : {kHead, kHead - 8, 0u, 1u << 30}) {
    Answer answer;
    answer.add(iommu(kAll, kHead)).add(capability(99, next)).add(std::uint64_t{0});
    EXPECT_EQ(parse_iommu_info(answer.bytes()).ranges.size(), 2u) << next;
  }
}

TEST(IommuInfo, RangesBeyondTheAnswerAreIgnored) {
  Answer answer;
  answer.add(iommu(kAll, kHead));
  answer.add(capability(VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE, 0)).add(std::uint32_t{1000}).add(std::uint32_t{0});
  answer.add(vfio_iova_range{0x1000, 0xffffff});
  EXPECT_THAT(parse_iommu_info(answer.bytes()).ranges, ElementsAre(IovaRange{0x1000, 0xffffff}));
}

vfio_region_info region(std::uint32_t flags, std::uint32_t first) {
  vfio_region_info info{};
  info.flags = flags;
  info.cap_offset = first;
  info.size = 0x4000;
  info.offset = 0x10000000000;
  return info;
}

TEST(VfioRegion, WithoutSparseAreasTheWholeBarIsMapped) {
  Answer answer;
  answer.add(region(VFIO_REGION_INFO_FLAG_MMAP, 0));
  const Region bar = parse_region(answer.bytes());
  EXPECT_EQ(bar.fd_offset, 0x10000000000u);
  EXPECT_EQ(bar.bytes, 0x4000u);
  EXPECT_EQ(bar.mapped_end(0x1000), 0x4000u);
  EXPECT_EQ(bar.mapped_end(0x4000), 0u);
}

TEST(VfioRegion, ARegionWithoutMmapIsNotMapped) {
  Answer answer;
  answer.add(region(VFIO_REGION_INFO_FLAG_READ, 0));
  EXPECT_EQ(parse_region(answer.bytes()).mapped_end(0x1000), 0u);
  EXPECT_EQ(parse_region({}).mapped_end(0), 0u);
}

TEST(VfioRegion, OnlySparseAreasAreMapped) {
  Answer answer;
  answer.add(region(VFIO_REGION_INFO_FLAG_MMAP | VFIO_REGION_INFO_FLAG_CAPS, sizeof(vfio_region_info)));
  answer.add(capability(VFIO_REGION_INFO_CAP_SPARSE_MMAP, 0)).add(std::uint32_t{2}).add(std::uint32_t{0});
  answer.add(vfio_region_sparse_mmap_area{0, 0x2000}).add(vfio_region_sparse_mmap_area{0x3000, 0x9000});
  const Region bar = parse_region(answer.bytes());
  EXPECT_EQ(bar.mapped_end(0x1000), 0x2000u);
  EXPECT_EQ(bar.mapped_end(0x2000), 0u);
  EXPECT_EQ(bar.mapped_end(0x3000), 0x4000u);
}

}  // namespace
}  // namespace fathom::nvme::vfio
