// Opening a controller through VFIO on made-up machines: every reason why it cannot be had, with its kind and remedy.
// What happens when it can is tested in a guest with an IOMMU (tests/guest).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvme/pci/made_up_bus.h"
#include "nvme/vfio/transport.h"

namespace fathom::nvme::vfio {
namespace {

using ::testing::HasSubstr;

const std::string kDisk = "0000:01:00.0";

class VfioOpen : public ::testing::Test {
 protected:
  VfioOpen() { pci::testing::usual_machine(bus_); }
  base::Error error(const std::string& address) {
    auto opened = open_transport({.kind = TransportKind::vfio, .where = address, .nsid = 1}, bus_);
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? base::Error{} : opened.error();
  }
  void add_vfio_disk(const std::string& group) { bus_.add("0000:03:00.0", {.driver = "vfio-pci", .group = group}); }
  pci::testing::MadeUpBus bus_;
};

TEST_F(VfioOpen, AnUnknownAddressIsAUsageError) { EXPECT_EQ(error("0000:99:00.0").kind, base::ErrorKind::usage); }

TEST_F(VfioOpen, ADeviceOfAnotherClassIsRefused) {
  EXPECT_THAT(error("0000:00:1f.0").what, HasSubstr("not an NVMe controller"));
}

TEST_F(VfioOpen, ADeviceOfTheNvmeDriverSuggestsBind) {
  const base::Error found = error(kDisk);
  EXPECT_EQ(found.kind, base::ErrorKind::refused);
  EXPECT_THAT(found.cause, HasSubstr("the driver nvme has it"));
  EXPECT_THAT(found.help, HasSubstr("fathom nvme bind 0000:01:00.0"));
}

TEST_F(VfioOpen, WithoutAnIommuGroupItIsRefused) {
  add_vfio_disk("");
  EXPECT_THAT(error("0000:03:00.0").help, HasSubstr("intel_iommu=on"));
}

TEST_F(VfioOpen, WithoutAVfioContainerItSuggestsModprobe) {
  add_vfio_disk("9");
  const base::Error found = error("0000:03:00.0");
  EXPECT_EQ(found.kind, base::ErrorKind::privilege);
  EXPECT_THAT(found.what, HasSubstr("/dev/vfio/vfio"));
  EXPECT_THAT(found.help, HasSubstr("modprobe vfio-pci"));
}

TEST_F(VfioOpen, AFileInPlaceOfTheContainerIsRefused) {
  add_vfio_disk("9");
  bus_.tree().file("/dev/vfio/vfio", "");
  EXPECT_THAT(error("0000:03:00.0").what, HasSubstr("no type-1 IOMMU"));
}

}  // namespace
}  // namespace fathom::nvme::vfio
