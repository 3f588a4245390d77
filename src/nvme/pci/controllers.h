// The NVMe controllers of this machine, from /sys: every PCI function of class 01 08 02 (mass storage, NVM, NVM
// Express interface). While the kernel's nvme driver is bound, this includes its device names. Reads only.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "nvme/pci/sysfs.h"

namespace fathom::nvme::pci {

inline constexpr std::uint32_t kNvmeClass = 0x010802;
inline constexpr const char* kDevices = "/sys/bus/pci/devices/";
inline constexpr const char* kDrivers = "/sys/bus/pci/drivers/";
inline constexpr const char* kVfioDriver = "vfio-pci";
inline constexpr const char* kKernelDriver = "nvme";

struct KernelNamespace {
  std::uint32_t nsid = 0;
  std::string block;      // "nvme0n1": a name under /dev and /sys/class/block
  std::string character;  // "ng0n1"; empty: no such device
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 0;
};

struct Controller {
  std::string address;  // "0000:01:00.0"
  std::uint16_t vendor = 0, device = 0;
  std::uint32_t class_code = 0;
  std::string driver;           // "nvme", "vfio-pci", ...; empty: none
  std::string driver_override;  // empty: none
  std::string iommu_group;      // "12"; empty: no IOMMU
  int numa_node = -1;           // -1: unknown, or a machine of one node
  // While the kernel's driver is bound:
  std::string kernel_name;  // "nvme0"
  std::string model, serial, firmware;
  std::vector<KernelNamespace> namespaces;
  // The block devices of its namespaces. Check whether the kernel uses one before unbinding the controller.
  std::vector<std::string> block_devices() const;
};

// In ascending order of address.
std::vector<Controller> list_controllers(const Sysfs& sysfs);
// ErrorKind::usage: no such device (the help lists the existing ones), or not an NVMe controller.
base::Expected<Controller> find_controller(const Sysfs& sysfs, const std::string& address);

// The other functions of its IOMMU group with a driver that VFIO does not tolerate: "0000:01:00.1 (snd_hda_intel)".
std::vector<std::string> group_blockers(const Sysfs& sysfs, const Controller& controller);

// The two errors that both bind and the vfio transport report.
base::Error no_iommu_group(const std::string& address);
base::Error group_not_viable(const Controller& controller, const std::vector<std::string>& blockers);

}  // namespace fathom::nvme::pci
