// The PCI tree from sysfs: root ports with their links, the functions behind them, and the block devices of those. Each
// call reads sysfs. `prefix` precedes /sys. Thread-safe.
// Source: Documentation/ABI/testing/sysfs-bus-pci, PCI Express Base Specification (link status).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fathom::host::pci {

// "0000:00:02.0" as numbers.
struct PciAddress {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0, device = 0, function = 0;
  std::uint8_t devfn() const { return static_cast<std::uint8_t>(device << 3 | function); }
  bool operator==(const PciAddress&) const = default;
  bool operator<(const PciAddress& o) const {
    return std::tie(domain, bus, device, function) < std::tie(o.domain, o.bus, o.device, o.function);
  }
};
std::optional<PciAddress> parse_pci_address(std::string_view text);  // "00:02.0" is of domain 0
std::string to_string(const PciAddress& address);
// Bus, device and function as two hexadecimal digits each: 00:02.0 is "000200"; its PMU is pcie_bdf_200.
std::string six_digits(const PciAddress& address);
// "NVMe controller" for 0x010802; the number if the table has no name for it.
std::string pci_class_text(std::uint32_t class_code);

struct PciLink {
  double speed_gts = 0, max_speed_gts = 0;  // 0: unknown
  int width = 0, max_width = 0;
};

struct PciFunction {
  PciAddress address;
  std::uint32_t class_code = 0;  // 0x010802
  std::uint16_t vendor = 0, device = 0;
  std::string driver;
  std::vector<std::string> block_devices;  // kernel names of whole disks: "sda", "nvme0n1"
};

// A root port. Without one: an endpoint integrated into the root complex (`integrated`).
struct RootPort {
  PciAddress address;
  bool integrated = false;
  PciLink link;
  int numa_node = -1;
  std::vector<PciFunction> behind;  // every endpoint below it, without bridges
};

// The route from a path to its ports, step by step, so that an ambiguity is shown instead of guessed.
struct PortPath {
  std::string target;                  // as the job named it
  std::vector<std::string> disks;      // whole disks under it, with stacks (dm, md, partitions) resolved
  std::vector<std::string> ports;      // addresses of root ports, distinct; more than one: ambiguous for one PMU
  std::vector<std::string> functions;  // PCI functions of the disks
  // why a disk has no port: "zram0 is no PCI device"; also set if other disks have ports
  std::string cause;
  std::vector<std::string> steps;  // one sentence each, from the target to the ports
};

std::vector<RootPort> root_ports(const std::string& prefix = "");
// A file, directory, block device, /dev/ngXnY, or a PCI address ("01:00.0", "01:00.0/1") that no kernel driver uses.
PortPath port_of(const std::string& target_path, const std::string& prefix = "");
PortPath port_of_disk(const std::string& disk, const std::string& prefix = "");

// aer_dev_{correctable,nonfatal,fatal} (one counter per kind of error, without its TOTAL line) and
// current_link_speed/width of a function. readable: it has at least one of those files.
struct LinkState {
  PciLink link;
  std::vector<std::pair<std::string, std::uint64_t>> errors;  // "aer_dev_correctable/BadTLP", count
  bool readable = false;
};
LinkState read_link(const PciAddress& address, const std::string& prefix = "");

}  // namespace fathom::host::pci
