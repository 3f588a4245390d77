// Machines as /sys shows them, built in a folder of our own: the server of the PCIe PMU article (18 root ports, a SATA
// disk behind 00:02.0, two functions of a network card behind b0:00.0), and the odd cases.
#pragma once
#include <string>
#include <string_view>

#include "host/temp_tree.h"

namespace fathom::host::testing {

struct Pci {
  std::string_view class_code, vendor, device;
  std::string_view driver = {};
};
inline constexpr Pci kRootPort{"0x060400", "0x1ded", "0x8000", "pcieport"};
inline constexpr Pci kSwitch{"0x060400", "0x10b5", "0x8796", "pcieport"};
inline constexpr Pci kSata{"0x010601", "0x1b4b", "0x9235", "ahci"};
inline constexpr Pci kNvme{"0x010802", "0x144d", "0xa808", "nvme"};
inline constexpr Pci kNetwork{"0x020000", "0x15b3", "0x1017", "mlx5_core"};

class PciRecording : public TempTree {
 public:
  // `below` is the path under /sys/devices: "pci0000:00/0000:00:02.0/0000:04:00.0".
  void function(const std::string& below, const Pci& pci, std::string_view numa_node = "0") const {
    const std::string folder = "/sys/devices/" + below;
    file(folder + "/class", std::string(pci.class_code) + "\n");
    file(folder + "/vendor", std::string(pci.vendor) + "\n");
    file(folder + "/device", std::string(pci.device) + "\n");
    file(folder + "/numa_node", std::string(numa_node) + "\n");
    if (!pci.driver.empty()) link(folder + "/driver", "../../bus/pci/drivers/" + std::string(pci.driver));
    link("/sys/bus/pci/devices/" + below.substr(below.rfind('/') + 1), "../../../devices/" + below);
  }
  void pci_link(const std::string& below, std::string_view speed, int width, std::string_view max_speed,
                int max_width) const {
    const std::string folder = "/sys/devices/" + below;
    file(folder + "/current_link_speed", std::string(speed) + "\n");
    file(folder + "/max_link_speed", std::string(max_speed) + "\n");
    file(folder + "/current_link_width", std::to_string(width) + "\n");
    file(folder + "/max_link_width", std::to_string(max_width) + "\n");
  }
  // `below` ends with the disk's name; a partition goes into its disk's folder.
  void block(const std::string& below, const std::string& number, bool partition = false) const {
    const std::string folder = "/sys/devices/" + below;
    file(folder + "/dev", number + "\n");
    if (partition) file(folder + "/partition", "1\n");
    link("/sys/class/block/" + below.substr(below.rfind('/') + 1), "../../devices/" + below);
    link("/sys/dev/block/" + number, "../../devices/" + below);
  }
  // A PMU with the two payload events and the format of the article's driver.
  void payload_pmu(const std::string& name, int type) const {
    const std::string folder = "/sys/bus/event_source/devices/" + name;
    file(folder + "/type", std::to_string(type) + "\n");
    file(folder + "/cpumask", "0\n");
    file(folder + "/format/eventid", "config:0-15\n");
    file(folder + "/format/type", "config:16-19\n");
    file(folder + "/format/lane", "config:20-27\n");
    file(folder + "/events/Rx_PCIe_TLP_Data_Payload", "eventid=0x21,type=0x0\n");
    file(folder + "/events/Tx_PCIe_TLP_Data_Payload", "eventid=0x20,type=0x0\n");
    file(folder + "/events/L0", "eventid=0x3,type=0x0\n");
    file(folder + "/events/rx_memory_write", "eventid=0x70b,type=0x1,lane=?\n");
  }
};

// The 18 root ports of the article's table: four of four lanes on four buses, two of sixteen.
inline void add_article_ports(const PciRecording& tree) {
  for (const std::string bus : {"00", "10", "30", "80"}) {
    for (const std::string device : {"00", "01", "02", "03"}) {
      const std::string below = "pci0000:" + bus + "/0000:" + bus + ":" + device + ".0";
      tree.function(below, kRootPort, bus == "80" ? "1" : "0");
      tree.pci_link(below, "8.0 GT/s PCIe", 4, "32.0 GT/s PCIe", 4);
    }
  }
  for (const std::string bus : {"98", "b0"}) {
    tree.function("pci0000:" + bus + "/0000:" + bus + ":00.0", kRootPort, "1");
    tree.pci_link("pci0000:" + bus + "/0000:" + bus + ":00.0", "8.0 GT/s PCIe", 16, "32.0 GT/s PCIe", 16);
  }
}

inline constexpr const char* kArticleSata = "pci0000:00/0000:00:02.0/0000:04:00.0";
inline constexpr const char* kArticleDisk =
    "pci0000:00/0000:00:02.0/0000:04:00.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";

inline void add_article_server(const PciRecording& tree) {
  add_article_ports(tree);
  const std::string first = "pci0000:00/0000:00:";
  tree.function(first + "00.0/0000:01:00.0", {"0x060400", "0x1a03", "0x1150"});
  tree.function(first + "00.0/0000:01:00.0/0000:02:00.0", {"0x030000", "0x1a03", "0x2000", "ast"});
  tree.function(first + "01.0/0000:03:00.0", {"0x0c0330", "0x1912", "0x0014", "xhci_hcd"});
  tree.function(kArticleSata, kSata);
  tree.pci_link(kArticleSata, "5.0 GT/s PCIe", 2, "5.0 GT/s PCIe", 2);
  tree.function("pci0000:b0/0000:b0:00.0/0000:b1:00.0", kNetwork, "1");
  tree.function("pci0000:b0/0000:b0:00.0/0000:b1:00.1", kNetwork, "1");
  tree.function("pci0000:7c/0000:7c:00.0", {"0x0b4000", "0x1ded", "0x8001"});
  tree.function("pci0000:fc/0000:fc:0a.0", {"0x0b4000", "0x1ded", "0x8003"});
  const std::string disk = kArticleDisk;
  tree.block(disk, "8:0");
  tree.file("/sys/devices/" + disk + "/device/model", "INTEL SSDSC2KB24\n");
  tree.block(disk + "/sda1", "8:1", true);
  tree.block(disk + "/sda2", "8:2", true);
  tree.block(disk + "/sda4", "8:4", true);
  int type = 20;
  for (const char* pmu : {"0", "100", "200", "300", "100000", "100100", "100200", "100300", "300000", "300100",
                          "300200", "300300", "800000", "800100", "800200", "800300", "980000", "b00000"}) {
    tree.payload_pmu(std::string("pcie_bdf_") + pmu, type++);
  }
}

// Two NVMe disks on two ports with md0 over both and dm-0 over md0's partition; one of them below a switch.
inline void add_two_nvme(const PciRecording& tree) {
  const std::string left = "pci0000:10/0000:10:00.0", right = "pci0000:30/0000:30:03.0";
  tree.function(left, kRootPort);
  tree.function(right, kRootPort);
  tree.function(left + "/0000:11:00.0", kSwitch);
  tree.function(left + "/0000:11:00.0/0000:12:04.0", kSwitch);
  tree.function(left + "/0000:11:00.0/0000:12:04.0/0000:13:00.0", kNvme);
  tree.function(right + "/0000:31:00.0", kNvme);
  tree.block(left + "/0000:11:00.0/0000:12:04.0/0000:13:00.0/nvme/nvme0/nvme0n1", "259:0");
  tree.block(right + "/0000:31:00.0/nvme/nvme1/nvme1n1", "259:1");
  tree.block(right + "/0000:31:00.0/nvme/nvme1/nvme1n1/nvme1n1p1", "259:2", true);
  tree.block("virtual/block/md0", "9:0");
  tree.file("/sys/devices/virtual/block/md0/md/level", "raid1\n");
  tree.block("virtual/block/md0/md0p1", "259:3", true);
  tree.block("virtual/block/dm-0", "253:0");
  tree.file("/sys/devices/virtual/block/dm-0/dm/name", "vg-data\n");
  tree.built_on("md0", "nvme0n1");
  tree.built_on("md0", "nvme1n1p1");
  tree.built_on("dm-0", "md0p1");
}

}  // namespace fathom::host::testing
