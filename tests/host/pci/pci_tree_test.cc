// Recorded sysfs trees: which endpoint shares which root port, and the way from a path to its ports.
#include "host/pci/pci_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "host/pci_recording.h"

namespace fathom::host::pci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PciRecording;

const RootPort* find(const std::vector<RootPort>& ports, std::string_view address) {
  for (const auto& port : ports) {
    if (to_string(port.address) == address) return &port;
  }
  return nullptr;
}

TEST(PciAddress, ParsesAndFormatsTheKernelsForm) {
  const auto address = parse_pci_address("0000:b0:1f.7");
  ASSERT_TRUE(address);
  EXPECT_EQ(*address, (PciAddress{0, 0xb0, 0x1f, 7}));
  EXPECT_EQ(address->devfn(), 0xff);
  EXPECT_EQ(to_string(*address), "0000:b0:1f.7");
  EXPECT_EQ(to_string(*parse_pci_address("00:02.0")), "0000:00:02.0");
  EXPECT_EQ(to_string(*parse_pci_address("10000:e1:00.0")), "10000:e1:00.0");
  EXPECT_EQ(six_digits(*parse_pci_address("0000:00:02.0")), "000200");
  EXPECT_EQ(six_digits(*parse_pci_address("0000:b0:00.0")), "b00000");
  EXPECT_EQ(six_digits(*parse_pci_address("0000:30:1f.3")), "301f03");
}

TEST(PciAddress, RejectsMalformedText) {
  for (const char* text : {"", ".", ":", "00:02", "00:20.0", "00:02.8", "0000:00:02.0x", "1:00:02.", "000:02.0",
                           "0000:0000:00:02.0", "g0:02.0", "0:0:2:0", ":02.0", "00:.0", "123456789:00:02.0"}) {
    EXPECT_FALSE(parse_pci_address(text)) << text;
  }
}

TEST(PciClassWords, TheMostSpecificClassIsNamed) {
  EXPECT_EQ(pci_class_text(0x010802), "NVMe controller");
  EXPECT_EQ(pci_class_text(0x010801), "non-volatile memory controller");
  EXPECT_EQ(pci_class_text(0x010601), "SATA controller (AHCI)");
  EXPECT_EQ(pci_class_text(0x01ff00), "storage controller");
  EXPECT_EQ(pci_class_text(0x990000), "class 990000");
}

TEST(RootPorts, AreFoundOnARecordedServer) {
  const PciRecording tree;
  add_article_server(tree);
  const auto ports = root_ports(tree.root());
  int ports_proper = 0;
  for (const auto& port : ports) ports_proper += port.integrated ? 0 : 1;
  EXPECT_EQ(ports_proper, 18);
  EXPECT_EQ(ports.size(), 20u);

  const RootPort* sata = find(ports, "0000:00:02.0");
  ASSERT_NE(sata, nullptr);
  EXPECT_EQ(sata->link.width, 4);
  EXPECT_EQ(sata->link.speed_gts, 8.0);
  EXPECT_EQ(sata->link.max_speed_gts, 32.0);
  EXPECT_EQ(sata->numa_node, 0);
  ASSERT_EQ(sata->behind.size(), 1u);
  EXPECT_EQ(sata->behind[0].vendor, 0x1b4b);
  EXPECT_EQ(sata->behind[0].driver, "ahci");
  EXPECT_THAT(sata->behind[0].block_devices, ElementsAre("sda"));

  const RootPort* network = find(ports, "0000:b0:00.0");
  ASSERT_NE(network, nullptr);
  ASSERT_EQ(network->behind.size(), 2u);
  EXPECT_EQ(to_string(network->behind[1].address), "0000:b1:00.1");
  EXPECT_EQ(network->link.width, 16);

  const RootPort* graphics = find(ports, "0000:00:00.0");
  ASSERT_NE(graphics, nullptr);
  ASSERT_EQ(graphics->behind.size(), 1u) << "the bridge itself is no endpoint";
  EXPECT_EQ(graphics->behind[0].class_code, 0x030000u);
  EXPECT_THAT(find(ports, "0000:00:03.0")->behind, IsEmpty());
  EXPECT_TRUE(find(ports, "0000:7c:00.0")->integrated);
}

TEST(RootPorts, EndpointsBelowASwitchShareThePort) {
  const PciRecording tree;
  add_two_nvme(tree);
  const auto ports = root_ports(tree.root());
  ASSERT_EQ(ports.size(), 2u);
  ASSERT_EQ(ports[0].behind.size(), 1u);
  EXPECT_EQ(to_string(ports[0].behind[0].address), "0000:13:00.0");
  EXPECT_THAT(ports[0].behind[0].block_devices, ElementsAre("nvme0n1"));
}

TEST(RootPorts, AHostBridgeOnTheRootBusIsNotAPort) {
  const PciRecording tree;
  tree.function("pci0000:00/0000:00:00.0", {"0x060000", "0x8086", "0x0d57"});
  tree.function("pci0000:00/0000:00:1f.0", {"0x060100", "0x8086", "0x2918"});
  tree.function("pci0000:00/0000:00:02.0", {"0x018000", "0x1af4", "0x1042", "virtio-pci"}, "-1");
  tree.block("pci0000:00/0000:00:02.0/virtio1/block/vda", "254:0");
  const auto ports = root_ports(tree.root());
  ASSERT_EQ(ports.size(), 1u);
  EXPECT_TRUE(ports[0].integrated);
  EXPECT_EQ(ports[0].numa_node, -1);
  ASSERT_EQ(ports[0].behind.size(), 1u);
  EXPECT_THAT(ports[0].behind[0].block_devices, ElementsAre("vda"));
}

TEST(PortOf, FollowsAPartitionBehindAnHba) {
  const PciRecording tree;
  add_article_server(tree);
  const auto path = port_of("/dev/sda4", tree.root());
  EXPECT_THAT(path.disks, ElementsAre("sda"));
  EXPECT_THAT(path.functions, ElementsAre("0000:04:00.0"));
  EXPECT_THAT(path.ports, ElementsAre("0000:00:02.0"));
  EXPECT_EQ(path.cause, "");
  EXPECT_THAT(path.steps, ElementsAre("sda4 is a partition of sda",
                                      "sda belongs to PCI function 0000:04:00.0 (SATA controller (AHCI), driver ahci)",
                                      "0000:04:00.0 is below root port 0000:00:02.0 (000200)"));
}

TEST(PortOf, FollowsAFileByItsFileSystemsDevice) {
  const PciRecording tree;
  add_article_server(tree);
  tree.file("/home/user/test.big", "x");
  struct stat st {};
  ASSERT_EQ(::stat(tree.path("/home/user/test.big").c_str(), &st), 0);
  if (major(st.st_dev) == 0) GTEST_SKIP() << "the folder for temporary files lies on no block device";
  const std::string number = std::to_string(major(st.st_dev)) + ":" + std::to_string(minor(st.st_dev));
  const std::string entry = "/sys/dev/block/" + number;
  if (!std::filesystem::exists(tree.path(entry))) {
    tree.link(entry, std::string("../../devices/") + testing::kArticleDisk + "/sda4");
  }
  tree.file("/proc/self/mountinfo", "30 1 " + number + " / / rw,relatime - ext4 /dev/sda4 rw\n");
  const auto path = port_of(tree.path("/home/user/test.big"), tree.root());
  EXPECT_THAT(path.ports, ElementsAre("0000:00:02.0"));
  ASSERT_FALSE(path.steps.empty());
  EXPECT_THAT(path.steps[0], ::testing::ContainsRegex(" is on sda[0-9]* \\(ext4, mounted on /\\)$"));
}

TEST(PortOf, ReportsAMissingFile) {
  const PciRecording tree;
  tree.file("/home/user/there", "x");
  const std::string missing = tree.path("/home/user/no/such/file");
  const auto path = port_of(missing, tree.root());
  ASSERT_FALSE(path.steps.empty());
  EXPECT_EQ(path.steps[0], missing + " does not exist; the nearest existing directory is " + tree.path("/home/user"));
  for (const auto& step : port_of(tree.path("/home/user/there"), tree.root()).steps)
    EXPECT_THAT(step, ::testing::Not(HasSubstr("does not exist")));
}

TEST(PortOf, ReportsAStackOverTwoPortsAsAmbiguous) {
  const PciRecording tree;
  add_two_nvme(tree);
  const auto path = port_of("/dev/dm-0", tree.root());
  EXPECT_THAT(path.disks, ElementsAre("nvme0n1", "nvme1n1"));
  EXPECT_THAT(path.ports, ElementsAre("0000:10:00.0", "0000:30:03.0"));
  EXPECT_THAT(path.steps, ::testing::Contains("dm-0 (device-mapper vg-data) is built on md0p1"));
  EXPECT_THAT(path.steps,
              ::testing::Contains("0000:13:00.0 is below root port 0000:10:00.0 (100000) through 2 bridges"));
}

TEST(PortOf, FollowsNativeMultipathThroughEveryController) {
  const PciRecording tree;
  add_two_nvme(tree);
  tree.block("virtual/nvme-subsystem/nvme-subsys4/nvme4n1", "259:9");
  const std::string left = "pci0000:10/0000:10:00.0/0000:11:00.0/0000:12:04.0/0000:13:00.0/nvme/nvme0";
  const std::string right = "pci0000:30/0000:30:03.0/0000:31:00.0/nvme/nvme1";
  tree.block(left + "/nvme4c0n1", "259:10");
  tree.file("/sys/devices/" + left + "/nvme4c0n1/hidden", "1\n");
  tree.block(right + "/nvme4c1n1", "259:11");
  tree.file("/sys/devices/" + right + "/nvme4c1n1/hidden", "1\n");
  tree.block(right + "/nvme4c1n12", "259:12");
  tree.link("/sys/class/nvme/nvme0", "../../devices/" + left);
  tree.link("/sys/class/nvme/nvme1", "../../devices/" + right);
  const auto path = port_of_disk("nvme4n1", tree.root());
  EXPECT_THAT(path.functions, ElementsAre("0000:13:00.0", "0000:31:00.0"));
  EXPECT_EQ(path.ports.size(), 2u);
  EXPECT_THAT(path.steps, ::testing::Contains("nvme4n1 is reached over 2 controllers"));
  const auto ports = root_ports(tree.root());
  EXPECT_THAT(ports[0].behind[0].block_devices, ElementsAre("nvme0n1", "nvme4n1")) << "hidden paths are no disks";
}

TEST(PortOf, StartsAtTheRootOfAVmdDomain) {
  const PciRecording tree;
  tree.function("pci0000:64/0000:64:05.5", {"0x010400", "0x8086", "0x28c0", "vmd"});
  tree.function("pci0000:64/0000:64:05.5/pci10000:e0/10000:e0:02.0", testing::kRootPort);
  tree.function("pci0000:64/0000:64:05.5/pci10000:e0/10000:e0:02.0/10000:e1:00.0", testing::kNvme);
  tree.block("pci0000:64/0000:64:05.5/pci10000:e0/10000:e0:02.0/10000:e1:00.0/nvme/nvme0/nvme0n1", "259:0");
  EXPECT_THAT(port_of_disk("nvme0n1", tree.root()).ports, ElementsAre("10000:e0:02.0"));
}

TEST(PortOf, NamesTheCauseWhenThereIsNoPort) {
  const PciRecording tree;
  add_article_server(tree);
  tree.block("virtual/block/zram0", "252:0");
  tree.block("virtual/block/loop3", "7:3");
  tree.block("virtual/block/loop4", "7:4");
  tree.file("/sys/devices/virtual/block/loop3/loop/backing_file", "/proc/version\n");
  tree.block("virtual/nvme-fabrics/ctl/nvme7/nvme7n1", "259:7");
  tree.block("platform/soc/mmc0/mmcblk0", "179:0");
  EXPECT_EQ(port_of("/dev/zram0", tree.root()).cause, "zram0 is memory (compressed), not a PCI device");
  EXPECT_THAT(port_of("/dev/loop3", tree.root()).cause, HasSubstr("its backing file is /proc/version, which is on no"));
  EXPECT_THAT(port_of("/dev/loop4", tree.root()).cause, HasSubstr("without a file"));
  EXPECT_THAT(port_of_disk("nvme7n1", tree.root()).cause, HasSubstr("NVMe over fabrics"));
  EXPECT_THAT(port_of_disk("mmcblk0", tree.root()).cause, HasSubstr("is on no PCI bus (its device is /sys/devices/"));
  EXPECT_THAT(port_of_disk("sdz", tree.root()).cause, HasSubstr("no such disk"));
  EXPECT_THAT(port_of("/dev/sdz", tree.root()).cause, HasSubstr("no such device"));
  EXPECT_THAT(port_of("/proc/self/stat", tree.root()).ports, IsEmpty());
  EXPECT_NE(port_of("/proc/self/stat", tree.root()).cause, "");
}

TEST(PortOf, NamesThePartOfAStackWithoutAPort) {
  const PciRecording tree;
  add_two_nvme(tree);
  tree.block("virtual/block/zram0", "252:0");
  tree.built_on("md0", "zram0");
  const auto path = port_of("/dev/md0", tree.root());
  EXPECT_EQ(path.ports.size(), 2u);
  EXPECT_EQ(path.cause, "zram0 is memory (compressed), not a PCI device");
}

TEST(PortOf, AcceptsAPciAddressWithoutAKernelDriver) {
  const PciRecording tree;
  add_two_nvme(tree);
  EXPECT_THAT(port_of("13:00.0/1", tree.root()).ports, ElementsAre("0000:10:00.0"));
  EXPECT_THAT(port_of("0000:77:00.0", tree.root()).cause, HasSubstr("no PCI device 0000:77:00.0"));
}

TEST(PortOf, FollowsTheCharacterDeviceOfANamespace) {
  const PciRecording tree;
  add_two_nvme(tree);
  EXPECT_THAT(port_of("/dev/ng1n1", tree.root()).ports, ElementsAre("0000:30:03.0"));
}

TEST(ReadLink, ReadsErrorsSpeedAndWidth) {
  const PciRecording tree;
  add_article_server(tree);
  const std::string folder = std::string("/sys/devices/") + testing::kArticleSata;
  tree.file(folder + "/aer_dev_correctable", "RxErr 0\nBadTLP 3\nTOTAL_ERR_COR 3\n");
  tree.file(folder + "/aer_dev_fatal", "DLP 1\nTOTAL_ERR_FATAL 1\n");
  const auto state = read_link(*parse_pci_address("04:00.0"), tree.root());
  EXPECT_TRUE(state.readable);
  EXPECT_EQ(state.link.speed_gts, 5.0);
  EXPECT_EQ(state.link.width, 2);
  using Pair = std::pair<std::string, std::uint64_t>;
  EXPECT_THAT(state.errors, ElementsAre(Pair("aer_dev_correctable/RxErr", 0), Pair("aer_dev_correctable/BadTLP", 3),
                                        Pair("aer_dev_fatal/DLP", 1)));
}

TEST(ReadLink, TreatsOtherTextAsUnknown) {
  const PciRecording tree;
  tree.function("pci0000:00/0000:00:02.0", testing::kRootPort);
  EXPECT_FALSE(read_link(*parse_pci_address("00:02.0"), tree.root()).readable);
  tree.pci_link("pci0000:00/0000:00:02.0", "Unknown", 63, "8 GT/s", 255);
  const auto state = read_link(*parse_pci_address("00:02.0"), tree.root());
  EXPECT_TRUE(state.readable);
  EXPECT_EQ(state.link.speed_gts, 0);
  EXPECT_EQ(state.link.max_speed_gts, 8);
  EXPECT_EQ(state.link.width, 0);
  EXPECT_EQ(state.link.max_width, 0);
}

}  // namespace
}  // namespace fathom::host::pci
