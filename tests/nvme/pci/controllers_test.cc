// What /sys says of controllers, on trees in the shapes that kernels show: plain, multipath, without a driver, no
// IOMMU.
#include "nvme/pci/controllers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvme/pci/made_up_bus.h"

namespace fathom::nvme::pci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Controllers, OnlyNvmeFunctionsAreListed) {
  testing::MadeUpBus bus;
  testing::usual_machine(bus);
  const std::vector<Controller> found = list_controllers(bus);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, "0000:01:00.0");
  EXPECT_EQ(found[0].vendor, 0x1b36);
  EXPECT_EQ(found[0].device, 0x0010);
  EXPECT_EQ(found[0].driver, "nvme");
  EXPECT_EQ(found[0].iommu_group, "7");
  EXPECT_EQ(found[0].numa_node, 1);
  EXPECT_EQ(found[0].driver_override, "");
  EXPECT_EQ(found[1].numa_node, -1);
}

TEST(Controllers, NamespacesOfTheNvmeDriverAreListed) {
  testing::MadeUpBus bus;
  testing::usual_machine(bus);
  bus.add_namespace("0000:01:00.0", "nvme0", "nvme0n2", "nvme0n2", "2048", "4096");
  bus.add_namespace("0000:01:00.0", "nvme0", "nvme0n1", "nvme0n1", "4096", "512");
  const Controller controller = *find_controller(bus, "0000:01:00.0");
  EXPECT_EQ(controller.kernel_name, "nvme0");
  EXPECT_EQ(controller.model, "Made Up Disk");
  EXPECT_EQ(controller.serial, "S1");
  EXPECT_EQ(controller.firmware, "1.0");
  ASSERT_EQ(controller.namespaces.size(), 2u);
  EXPECT_EQ(controller.namespaces[0].nsid, 1u);
  EXPECT_EQ(controller.namespaces[0].character, "ng0n1");
  EXPECT_EQ(controller.namespaces[0].size_bytes, 4096u * 512);
  EXPECT_EQ(controller.namespaces[1].block_bytes, 4096u);
  EXPECT_EQ(controller.namespaces[1].size_bytes, 2048u * 512);
  EXPECT_THAT(controller.block_devices(), ElementsAre("nvme0n1", "nvme0n2"));
}

TEST(Controllers, MultipathNamespacesHaveTheNameOfTheDisk) {
  testing::MadeUpBus bus;
  testing::usual_machine(bus);
  bus.add_namespace("0000:02:00.0", "nvme5", "nvme3c5n12", "nvme3n12", "100", "512");
  const Controller controller = *find_controller(bus, "0000:02:00.0");
  ASSERT_EQ(controller.namespaces.size(), 1u);
  EXPECT_EQ(controller.namespaces[0].block, "nvme3n12");
  EXPECT_EQ(controller.namespaces[0].character, "ng3n12");
  EXPECT_EQ(controller.namespaces[0].nsid, 12u);
}

TEST(Controllers, AnUnknownAddressListsThePresentControllers) {
  testing::MadeUpBus bus;
  testing::usual_machine(bus);
  for (const char* address : {"0000:09:00.0", "", "../0000:01:00.0"}) {
    const auto found = find_controller(bus, address);
    ASSERT_FALSE(found.ok()) << address;
    EXPECT_EQ(found.error().kind, base::ErrorKind::usage);
    EXPECT_THAT(found.error().help, HasSubstr("0000:01:00.0, 0000:02:00.0"));
  }
}

TEST(Controllers, WithoutControllersTheErrorSaysSo) {
  testing::MadeUpBus bus;
  EXPECT_TRUE(list_controllers(bus).empty());
  EXPECT_THAT(find_controller(bus, "0000:01:00.0").error().help, HasSubstr("have no NVMe controller"));
}

TEST(Controllers, ADeviceOfAnotherClassIsRefused) {
  testing::MadeUpBus bus;
  testing::usual_machine(bus);
  const auto found = find_controller(bus, "0000:00:1f.0");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, base::ErrorKind::usage);
  EXPECT_THAT(found.error().what, HasSubstr("not an NVMe controller"));
  EXPECT_THAT(found.error().cause, HasSubstr("0x060100"));
}

TEST(Controllers, BlockersAreDriversThatVfioDoesNotTolerate) {
  testing::MadeUpBus bus;
  testing::usual_machine(bus);
  bus.add("0000:01:00.1", {.class_code = "0x040300", .driver = "snd_hda_intel", .group = "7"});
  bus.add("0000:00:01.0", {.class_code = "0x060400", .driver = "pcieport", .group = "7"});
  bus.add("0000:01:00.2", {.class_code = "0x010802", .driver = "vfio-pci", .group = "7"});
  bus.add("0000:01:00.3", {.class_code = "0x010802", .driver = "", .group = "7"});
  EXPECT_THAT(group_blockers(bus, *find_controller(bus, "0000:01:00.0")), ElementsAre("0000:01:00.1 (snd_hda_intel)"));
}

}  // namespace
}  // namespace fathom::nvme::pci
