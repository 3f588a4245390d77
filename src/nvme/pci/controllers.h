// The NVMe controllers of this machine as /sys shows them: every PCI function of class 01 08 02 (mass storage, NVM, NVM
// Express interface), with the kernel's devices on it while its nvme driver has it. Reads only.
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
  std::string character;  // "ng0n1"; empty: the kernel has none
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
  // While the kernel's driver has it:
  std::string kernel_name;  // "nvme0"
  std::string model, serial, firmware;
  std::vector<KernelNamespace> namespaces;
  // Of its namespaces: what to ask the kernel's use of before the controller is taken away.
  std::vector<std::string> block_devices() const;
};

// By rising address.
std::vector<Controller> list_controllers(const Sysfs& sysfs);
// ErrorKind::usage: no such device (the help names those there are), or not an NVMe controller.
base::Expected<Controller> find_controller(const Sysfs& sysfs, const std::string& address);

// The other functions of its IOMMU group that a driver has which VFIO does not tolerate: "0000:01:00.1
// (snd_hda_intel)".
std::vector<std::string> group_blockers(const Sysfs& sysfs, const Controller& controller);

// The two errors that bind and the vfio transport share.
base::Error no_iommu_group(const std::string& address);
base::Error group_not_viable(const Controller& controller, const std::vector<std::string>& blockers);

}  // namespace fathom::nvme::pci
