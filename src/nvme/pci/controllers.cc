// The kernel's names: <function>/nvme/nvme0/{model,serial,firmware_rev}, with a subdirectory per namespace. With native
// multipath, that subdirectory is the hidden path nvme0c0n1 of the disk nvme0n1 (drivers/nvme/host/multipath.c).
#include "nvme/pci/controllers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>

namespace fathom::nvme::pci {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "nvme3n1" and "nvme3c0n1" give "3n1"; any other name gives "".
std::string disk_suffix(std::string_view name) {
  if (!name.starts_with("nvme")) return "";
  name.remove_prefix(4);
  const std::size_t n = name.rfind('n');
  if (n == std::string_view::npos || !all_digits(name.substr(n + 1))) return "";
  const std::string_view subsystem = name.substr(0, std::min(name.find('c'), n));
  return all_digits(subsystem) ? std::string(subsystem) + std::string(name.substr(n)) : "";
}

std::uint32_t trailing_number(std::string_view suffix) {
  const std::string_view digits = suffix.substr(suffix.rfind('n') + 1);
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

KernelNamespace read_namespace(const Sysfs& sysfs, const std::string& suffix) {
  KernelNamespace ns;
  ns.block = "nvme" + suffix;
  if (sysfs.exists("/sys/class/nvme-generic/ng" + suffix)) ns.character = "ng" + suffix;
  const std::string folder = "/sys/class/block/" + ns.block + "/";
  ns.nsid = static_cast<std::uint32_t>(sysfs.number(folder + "nsid", trailing_number(suffix)));
  ns.size_bytes = sysfs.number(folder + "size", 0) * 512;  // in the kernel's sectors, regardless of the block size
  ns.block_bytes = static_cast<std::uint32_t>(sysfs.number(folder + "queue/logical_block_size", 0));
  return ns;
}

void read_kernel_side(const Sysfs& sysfs, const std::string& folder, Controller& controller) {
  const std::vector<std::string> instances = sysfs.names(folder + "/nvme");
  if (instances.empty()) return;
  controller.kernel_name = instances.front();
  const std::string instance = folder + "/nvme/" + controller.kernel_name + "/";
  controller.model = sysfs.line(instance + "model");
  controller.serial = sysfs.line(instance + "serial");
  controller.firmware = sysfs.line(instance + "firmware_rev");
  for (const std::string& name : sysfs.names(instance)) {
    const std::string suffix = disk_suffix(name);
    if (!suffix.empty()) controller.namespaces.push_back(read_namespace(sysfs, suffix));
  }
  std::sort(controller.namespaces.begin(), controller.namespaces.end(),
            [](const KernelNamespace& a, const KernelNamespace& b) { return a.nsid < b.nsid; });
}

Controller read_function(const Sysfs& sysfs, const std::string& address) {
  const std::string folder = kDevices + address;
  Controller controller;
  controller.address = address;
  controller.vendor = static_cast<std::uint16_t>(sysfs.number(folder + "/vendor", 0));
  controller.device = static_cast<std::uint16_t>(sysfs.number(folder + "/device", 0));
  controller.class_code = static_cast<std::uint32_t>(sysfs.number(folder + "/class", 0));
  controller.driver = sysfs.link_name(folder + "/driver");
  controller.driver_override = sysfs.line(folder + "/driver_override");
  if (controller.driver_override == "(null)") controller.driver_override.clear();
  controller.iommu_group = sysfs.link_name(folder + "/iommu_group");
  const std::uint64_t node = sysfs.number(folder + "/numa_node", UINT64_MAX);  // "-1" does not parse as a number here
  controller.numa_node = node < 1024 ? static_cast<int>(node) : -1;
  return controller;
}

std::string those_there_are(const Sysfs& sysfs) {
  std::string names;
  for (const Controller& controller : list_controllers(sysfs))
    names += (names.empty() ? "" : ", ") + controller.address;
  return names.empty() ? "this machine's PCI buses have no NVMe controller; 'soft' needs none"
                       : "NVMe controllers of this machine: " + names;
}

std::string hexadecimal(std::uint32_t value) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  const std::string text(digits.data(), end);
  return "0x" + std::string(text.size() < 6 ? 6 - text.size() : 0, '0') + text;
}

// VFIO provides a group despite these other drivers: its own one, and those without DMA (drivers/vfio/vfio_main.c).
constexpr std::array kTolerated = {"vfio-pci", "pci-stub", "pcieport"};

}  // namespace

std::vector<std::string> Controller::block_devices() const {
  std::vector<std::string> names;
  std::transform(namespaces.begin(), namespaces.end(), std::back_inserter(names),
                 [](const KernelNamespace& ns) { return ns.block; });
  return names;
}

std::vector<Controller> list_controllers(const Sysfs& sysfs) {
  std::vector<Controller> found;
  for (const std::string& address : sysfs.names("/sys/bus/pci/devices")) {
    Controller controller = read_function(sysfs, address);
    if (controller.class_code != kNvmeClass) continue;
    read_kernel_side(sysfs, kDevices + address, controller);
    found.push_back(std::move(controller));
  }
  return found;
}

base::Expected<Controller> find_controller(const Sysfs& sysfs, const std::string& address) {
  const std::string folder = kDevices + address;
  if (address.empty() || address.find('/') != std::string::npos || !sysfs.exists(folder))
    return base::Error{.kind = base::ErrorKind::usage,
                       .what = address + ": no PCI device has this address",
                       .cause = folder + " does not exist",
                       .help = those_there_are(sysfs),
                       .place = {}};
  Controller controller = read_function(sysfs, address);
  if (controller.class_code != kNvmeClass)
    return base::Error{.kind = base::ErrorKind::usage,
                       .what = address + ": not an NVMe controller",
                       .cause = "its PCI class is " + hexadecimal(controller.class_code) +
                                ", an NVMe controller's is " + hexadecimal(kNvmeClass),
                       .help = those_there_are(sysfs),
                       .place = {}};
  read_kernel_side(sysfs, folder, controller);
  return controller;
}

std::vector<std::string> group_blockers(const Sysfs& sysfs, const Controller& controller) {
  std::vector<std::string> blockers;
  for (const std::string& other : sysfs.names("/sys/kernel/iommu_groups/" + controller.iommu_group + "/devices")) {
    const std::string driver = sysfs.link_name(kDevices + other + "/driver");
    const bool tolerated =
        driver.empty() || std::find(kTolerated.begin(), kTolerated.end(), driver) != kTolerated.end();
    if (other != controller.address && !tolerated) blockers.push_back(other + " (" + driver + ")");
  }
  return blockers;
}

base::Error no_iommu_group(const std::string& address) {
  return {.kind = base::ErrorKind::privilege,
          .what = address + ": belongs to no IOMMU group",
          .cause = "the kernel uses no IOMMU; without an IOMMU a device could write to any memory",
          .help =
              "enable VT-d or AMD-Vi in the firmware, add intel_iommu=on (Intel) or amd_iommu=on (AMD) to the "
              "kernel's command line, and boot again",
          .place = {}};
}

base::Error group_not_viable(const Controller& controller, const std::vector<std::string>& blockers) {
  std::string names;
  for (const std::string& blocker : blockers) names += (names.empty() ? "" : ", ") + blocker;
  return {.kind = base::ErrorKind::refused,
          .what = controller.address + ": IOMMU group " + controller.iommu_group + " is not viable",
          .cause = names.empty() ? "another device of the group is in use by a driver of the kernel"
                                 : "the same group holds devices that other drivers use: " + names,
          .help = "unbind those devices from their drivers too, or use a slot with a separate IOMMU group",
          .place = {}};
}

}  // namespace fathom::nvme::pci
