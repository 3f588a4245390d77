// bind and unbind against a made-up kernel: what they write, what they say, and that a failure leaves the old driver.
#include "nvme/pci/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvme/pci/controllers.h"
#include "nvme/pci/made_up_bus.h"

namespace fathom::nvme::pci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kDisk = "0000:01:00.0";

class BindingTest : public ::testing::Test {
 protected:
  BindingTest() { testing::usual_machine(bus_); }
  base::Error bind_error(const std::string& address = kDisk) {
    const auto done = bind_controller(bus_, address);
    EXPECT_FALSE(done.ok());
    return done.ok() ? base::Error{} : done.error();
  }
  std::string driver() { return find_controller(bus_, kDisk)->driver; }
  testing::MadeUpBus bus_;
};

TEST_F(BindingTest, BindMovesOneFunctionAndReportsTheChanges) {
  const auto done = bind_controller(bus_, kDisk);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->driver, "vfio-pci");
  EXPECT_THAT(done->changes, ElementsAre("driver: nvme -> vfio-pci", "driver_override: none -> vfio-pci"));
  EXPECT_EQ(driver(), "vfio-pci");
  EXPECT_EQ(find_controller(bus_, "0000:02:00.0")->driver, "nvme");
  EXPECT_THAT(bus_.writes, ElementsAre("/sys/bus/pci/devices/0000:01:00.0/driver_override = vfio-pci",
                                       "/sys/bus/pci/devices/0000:01:00.0/driver/unbind = 0000:01:00.0",
                                       "/sys/bus/pci/drivers_probe = 0000:01:00.0"));
}

TEST_F(BindingTest, BindTwiceChangesNothing) {
  ASSERT_TRUE(bind_controller(bus_, kDisk).ok());
  bus_.writes.clear();
  const auto again = bind_controller(bus_, kDisk);
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(again->changes, IsEmpty());
  EXPECT_THAT(bus_.writes, IsEmpty());
}

TEST_F(BindingTest, UnbindUndoesIt) {
  ASSERT_TRUE(bind_controller(bus_, kDisk).ok());
  const auto back = unbind_controller(bus_, kDisk);
  ASSERT_TRUE(back.ok());
  EXPECT_THAT(back->changes, ElementsAre("driver: vfio-pci -> nvme", "driver_override: vfio-pci -> none"));
  EXPECT_EQ(driver(), "nvme");
  EXPECT_THAT(unbind_controller(bus_, kDisk)->changes, IsEmpty());
}

TEST_F(BindingTest, AControllerWithoutADriverIsTakenAndGivenBack) {
  bus_.add("0000:03:00.0", {.driver = "", .group = "9"});
  EXPECT_THAT(bind_controller(bus_, "0000:03:00.0")->changes,
              ElementsAre("driver: none -> vfio-pci", "driver_override: none -> vfio-pci"));
  EXPECT_EQ(unbind_controller(bus_, "0000:03:00.0")->driver, "nvme");
}

TEST_F(BindingTest, AnUnknownAddressIsAUsageError) {
  EXPECT_EQ(bind_error("0000:77:00.0").kind, base::ErrorKind::usage);
}

TEST_F(BindingTest, ADeviceOfAnotherClassIsRefused) {
  EXPECT_THAT(bind_error("0000:00:1f.0").what, HasSubstr("not an NVMe controller"));
}

TEST_F(BindingTest, WithoutAnIommuGroupBindIsRefused) {
  bus_.add("0000:04:00.0", {.driver = "nvme", .group = ""});
  const base::Error error = bind_error("0000:04:00.0");
  EXPECT_EQ(error.kind, base::ErrorKind::privilege);
  EXPECT_THAT(error.help, HasSubstr("intel_iommu=on"));
  EXPECT_EQ(find_controller(bus_, "0000:04:00.0")->driver, "nvme");
}

TEST_F(BindingTest, ASharedIommuGroupNamesTheOtherDevices) {
  bus_.add("0000:01:00.1", {.class_code = "0x040300", .driver = "snd_hda_intel", .group = "7"});
  const base::Error error = bind_error();
  EXPECT_EQ(error.kind, base::ErrorKind::refused);
  EXPECT_THAT(error.cause, HasSubstr("0000:01:00.1 (snd_hda_intel)"));
  EXPECT_EQ(driver(), "nvme");
}

TEST_F(BindingTest, ADeviceOfAnotherDriverIsRefused) {
  bus_.add("0000:05:00.0", {.driver = "uio_pci_generic", .group = "9"});
  EXPECT_THAT(bind_error("0000:05:00.0").what, HasSubstr("uio_pci_generic"));
  EXPECT_EQ(unbind_controller(bus_, "0000:05:00.0").error().kind, base::ErrorKind::refused);
  EXPECT_THAT(bus_.writes, IsEmpty());
}

TEST_F(BindingTest, WithoutVfioPciBindSuggestsModprobe) {
  std::filesystem::remove(bus_.tree().path("/sys/bus/pci/drivers/vfio-pci"));
  const base::Error error = bind_error();
  EXPECT_EQ(error.kind, base::ErrorKind::privilege);
  EXPECT_THAT(error.help, HasSubstr("modprobe vfio-pci"));
}

TEST_F(BindingTest, WithoutRootBindIsAPrivilegeError) {
  bus_.fails["/driver_override"] = EACCES;
  const base::Error error = bind_error();
  EXPECT_EQ(error.kind, base::ErrorKind::privilege);
  EXPECT_EQ(error.sys_errno, EACCES);
  EXPECT_THAT(error.help, HasSubstr("root"));
  EXPECT_EQ(driver(), "nvme");
}

TEST_F(BindingTest, WhenVfioRefusesTheKernelsDriverGetsItBack) {
  bus_.refusing = {"vfio-pci"};
  const base::Error error = bind_error();
  EXPECT_EQ(error.kind, base::ErrorKind::io);
  EXPECT_THAT(error.cause, HasSubstr("no driver is bound to the device"));
  EXPECT_EQ(driver(), "nvme");
  EXPECT_EQ(find_controller(bus_, kDisk)->driver_override, "");
}

TEST_F(BindingTest, WhenTheProbeFailsTheOverrideGoesAway) {
  bus_.fails["/drivers_probe"] = EINVAL;
  EXPECT_EQ(bind_error().sys_errno, EINVAL);
  EXPECT_EQ(find_controller(bus_, kDisk)->driver_override, "");
}

}  // namespace
}  // namespace fathom::nvme::pci
