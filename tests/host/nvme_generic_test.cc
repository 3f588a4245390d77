// From an NVMe character device to the block device of its namespace, on a made-up /sys.
#include "host/nvme_generic.h"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include "host/temp_tree.h"

namespace fathom::host {
namespace {

TEST(NvmeGeneric, ItsBlockDeviceIsOfTheSameNumbers) {
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

}  // namespace
}  // namespace fathom::host
