// The configuration space as a driver reads and writes it; offsets and values are those of the PCI specifications.
#include "nvme/vfio_user/pci_config.h"

#include <gtest/gtest.h>

#include "nvme/vfio_user/support.h"

namespace fathom::nvme::vfio_user {
namespace {

class PciConfigTest : public ::testing::Test {
 protected:
  std::string at(std::uint32_t offset, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    config.read(offset, data);
    return test::text_of(data);
  }
  PciConfig config{0x1234, 0x5678};
};

TEST_F(PciConfigTest, ItIsAnNvmeController) {
  EXPECT_EQ(at(0x00, 4), "34127856");
  EXPECT_EQ(at(0x08, 4), "01020801");
  EXPECT_EQ(at(0x0e, 1), "00") << "header type";
  EXPECT_EQ(at(0x2c, 4), "34127856");
  EXPECT_EQ(at(0x3d, 1), "00") << "no interrupt pin";
}

TEST_F(PciConfigTest, Bar0IsSixtyFourBitsWideAndSixteenKilobytesLong) {
  EXPECT_EQ(at(0x10, 8), "04000000 00000000");
  config.write(0x10, test::hex("ffffffff ffffffff"));
  EXPECT_EQ(at(0x10, 8), "04c0ffff ffffffff");
  config.write(0x10, test::hex("00000010 02000000"));
  EXPECT_EQ(at(0x10, 8), "04000010 02000000");
  config.write(0x18, test::hex("ffffffff"));
  EXPECT_EQ(at(0x18, 4), "00000000") << "there is no BAR2";
}

TEST_F(PciConfigTest, ReadOnlyFieldsAreNotWritten) {
  config.write(0x00, test::hex("ffffffff ffff ffff ffffffff"));
  EXPECT_EQ(at(0x00, 12), "34127856 06041000 01020801");
  config.write(0x05, test::hex("00"));
  EXPECT_EQ(at(0x04, 2), "0600");
}

TEST_F(PciConfigTest, TheCapabilitiesEndWithPciExpress) {
  EXPECT_EQ(at(0x06, 2), "1000") << "status: there are capabilities";
  EXPECT_EQ(at(0x34, 1), "40");
  EXPECT_EQ(at(0x40, 4), "10000200") << "PCI Express, the last, an endpoint of version 2";
  EXPECT_EQ(at(0x100, 4), "00000000") << "no extended capabilities";
  EXPECT_EQ(at(kConfigBytes - 4, 4), "00000000");
}

}  // namespace
}  // namespace fathom::nvme::vfio_user
