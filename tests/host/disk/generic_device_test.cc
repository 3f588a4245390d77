// From a character device that takes commands to the block device that they reach, on a made-up /sys.
#include "host/disk/generic_device.h"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include "host/temp_tree.h"

namespace fathom::host::disk {
namespace {

TEST(GenericDevice, OfAnNvmeNamespaceIsFoundByItsNumbers) {
  const testing::TempTree tree;
  tree.device("nvme0n1", "259:0");
  tree.link("/sys/dev/char/242:0", "../../devices/pci0000:00/nvme/nvme0/ng0n1");
  tree.link("/sys/dev/char/242:1", "../../devices/pci0000:00/nvme/nvme0/ng0n2");
  tree.link("/sys/dev/char/1:3", "../../devices/virtual/mem/null");
  EXPECT_EQ(block_of_generic(makedev(242, 0), tree.root()), "nvme0n1");
  EXPECT_EQ(block_of_generic(makedev(242, 1), tree.root()), "") << "the kernel shows no such block device";
  EXPECT_EQ(block_of_generic(makedev(1, 3), tree.root()), "");
  EXPECT_EQ(block_of_generic(makedev(9, 9), tree.root()), "");
  EXPECT_EQ(block_path_of_generic("/dev/null"), "");
  EXPECT_EQ(block_path_of_generic("/no/such/file"), "");
}

TEST(GenericDevice, OfAScsiDiskIsFoundByItsDevice) {
  const testing::TempTree tree;
  tree.folder("/sys/devices/host0/0:0:0:0/block/sdc");
  tree.folder("/sys/devices/host0/0:0:0:0/scsi_generic/sg7");
  tree.link("/sys/devices/host0/0:0:0:0/scsi_generic/sg7/device", "../../../0:0:0:0");
  tree.link("/sys/dev/char/21:7", "../../devices/host0/0:0:0:0/scsi_generic/sg7");
  tree.folder("/sys/devices/host0/0:0:1:0/scsi_generic/sg8");
  tree.link("/sys/devices/host0/0:0:1:0/scsi_generic/sg8/device", "../../../0:0:1:0");
  tree.link("/sys/dev/char/21:8", "../../devices/host0/0:0:1:0/scsi_generic/sg8");
  EXPECT_EQ(block_of_generic(makedev(21, 7), tree.root()), "sdc");
  EXPECT_EQ(block_of_generic(makedev(21, 8), tree.root()), "") << "an enclosure";
}

}  // namespace
}  // namespace fathom::host::disk
