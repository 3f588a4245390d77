// Huge pages and the state of VFIO, as setup reports them: what was had is read back and never assumed.
#include "nvme/pci/setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvme/pci/made_up_bus.h"

namespace fathom::nvme::pci {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kNode1 = "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/";
const std::string kAll = "/sys/kernel/mm/hugepages/hugepages-2048kB/";

class NvmeSetup : public ::testing::Test {
 protected:
  NvmeSetup() {
    for (const std::string& folder : {kNode1, kAll}) {
      bus_.tree().file(folder + "nr_hugepages", "4\n");
      bus_.tree().file(folder + "free_hugepages", "3\n");
    }
  }
  testing::MadeUpBus bus_;
};

TEST_F(NvmeSetup, ReservesHugePagesOnTheNode) {
  const auto pages = reserve_huge_pages(bus_, 1, 64);
  ASSERT_TRUE(pages.ok());
  EXPECT_EQ(pages->before, 4u);
  EXPECT_EQ(pages->after, 64u);
  EXPECT_EQ(pages->free, 3u);
  EXPECT_EQ(pages->file, kNode1 + "nr_hugepages");
  EXPECT_EQ(pages->shortfall, "");
  EXPECT_EQ(huge_pages(bus_, -1).after, 4u);
}

TEST_F(NvmeSetup, ReportsTheShortfall) {
  bus_.pages_max = 40;
  const auto pages = reserve_huge_pages(bus_, -1, 64);
  ASSERT_TRUE(pages.ok());
  EXPECT_EQ(pages->after, 40u);
  EXPECT_THAT(pages->shortfall, HasSubstr("24 of 64"));
  EXPECT_THAT(pages->shortfall, HasSubstr("hugepages=64"));
}

TEST_F(NvmeSetup, ASatisfiedReservationWritesNothing) {
  EXPECT_EQ(reserve_huge_pages(bus_, 1, 4)->after, 4u);
  EXPECT_THAT(bus_.writes, IsEmpty());
}

TEST_F(NvmeSetup, ReservingNoneReleasesThePages) { EXPECT_EQ(reserve_huge_pages(bus_, 1, 0)->after, 0u); }

// 4 pages, one in use: 1000 MiB take 501; and never less than what setup takes by itself.
TEST_F(NvmeSetup, SuggestsACommandThatReservesEnough) {
  EXPECT_EQ(huge_pages_command(bus_, 1000 << 20, -1), "fathom nvme setup --huge=1002");
  EXPECT_EQ(huge_pages_command(bus_, 1000 << 20, 1), "fathom nvme setup --huge=1002 --node=1");
  EXPECT_EQ(huge_pages_command(bus_, 1, -1), "fathom nvme setup --huge=256");
}

TEST_F(NvmeSetup, AMissingNodeOrPageSizeIsAnError) {
  EXPECT_EQ(reserve_huge_pages(bus_, 3, 1).error().kind, base::ErrorKind::usage);
  bus_.tree().folder("/sys/devices/system/node/node3");
  EXPECT_EQ(reserve_huge_pages(bus_, 3, 1).error().kind, base::ErrorKind::io);
}

TEST_F(NvmeSetup, WithoutRootItIsAPrivilegeError) {
  bus_.fails["/nr_hugepages"] = EACCES;
  EXPECT_EQ(reserve_huge_pages(bus_, 1, 5).error().kind, base::ErrorKind::privilege);
}

TEST_F(NvmeSetup, ReportsTheStateOfVfio) {
  EXPECT_FALSE(vfio_state(bus_).driver_loaded);
  EXPECT_EQ(vfio_state(bus_).iommu_groups, 0u);
  testing::usual_machine(bus_);
  EXPECT_TRUE(vfio_state(bus_).driver_loaded);
  EXPECT_FALSE(vfio_state(bus_).type1_loaded);
  EXPECT_EQ(vfio_state(bus_).iommu_groups, 3u);
}

}  // namespace
}  // namespace fathom::nvme::pci
