// Names of devices in one value of filename=.
#include "session/controllers/device_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nvme/device_address.h"

namespace fathom::session::controllers {
namespace {

using Words = std::vector<std::string>;

TEST(DeviceNames, ADeviceIsNamedOnce) {
  EXPECT_FALSE(join_devices(Words{"0000:04:00.0", "04:00.0"}).ok()) << "the same address";
  EXPECT_FALSE(join_devices(Words{"vfio-user:/a", "vfio-user:/a"}).ok());
  EXPECT_TRUE(join_devices(Words{"vfio-user:/a", "vfio-user:/a/ns=2"}).ok());
  EXPECT_FALSE(join_devices(Words{"/dev/nvme0n1"}).ok());
}

// filename= is one text; what reads it must find the same devices again.
TEST(DeviceNames, JoinedNamesComeApartAgain) {
  const Words names{"soft",           "soft:size=1g,latency=fixed:80us", "soft:fault=status:after=100:sc=0x281",
                    "0000:01:00.0/2", "vfio-user:/tmp/a:soft/ns=3",      "vfio-user:/run/s"};
  const auto joined = join_devices(names);
  ASSERT_TRUE(joined.ok());
  const auto split = nvme::split_addresses(*joined);
  ASSERT_TRUE(split.ok()) << split.error().what;
  EXPECT_EQ(*split, names);
}

TEST(DeviceNames, SoftAgainIsAnotherController) {
  EXPECT_EQ(*join_devices(Words{"soft", "soft", "soft"}), "soft:soft:id=2:soft:id=3");
  EXPECT_EQ(*join_devices(Words{"soft", "soft", "0000:04:00.0"}), "soft:soft:id=2:0000:04:00.0");
  EXPECT_EQ(*join_devices(Words{"soft:bs=512", "soft:bs=512"}), "soft:bs=512:soft:bs=512,id=2");
  EXPECT_EQ(*join_devices(Words{"soft", "soft/ns=2"}), "soft:soft/ns=2") << "two namespaces of one controller";
}

}  // namespace
}  // namespace fathom::session::controllers
