// The NVMe controllers of a machine: `fathom nvme list`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "result/documents.h"

namespace fathom::result {

struct NvmeListedNamespace {
  std::uint32_t nsid = 0;
  std::string block_device, character_device;  // kernel names; empty: none
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 0;
  std::string use;  // "mounted on /home", "free"
};

struct NvmeListed {
  std::string address;
  std::uint16_t vendor = 0, device = 0;
  std::string driver, driver_override, iommu_group;
  int numa_node = -1;  // -1: unknown
  std::string kernel_name, model, serial, firmware;
  std::vector<NvmeListedNamespace> namespaces;
};

struct NvmeList {
  static constexpr const char* kFormat = "fathom nvme list";

  std::vector<NvmeListed> controllers;
};

template <class W>
void walk(W& w, Like<NvmeListedNamespace> auto& ns) {
  w.field(Key("nsid", "number of the namespace"), ns.nsid);
  w.field(Key("block_device", "kernel name of the block device"), ns.block_device);
  w.field(Key("character_device", "kernel name of the character device; empty: none"), ns.character_device);
  w.field(Key("size_bytes", "size of the namespace"), ns.size_bytes);
  w.field(Key("block_bytes", "size of a logical block"), ns.block_bytes);
  w.field(Key("use", "how the kernel uses it"), ns.use);
}

template <class W>
void walk(W& w, Like<NvmeListed> auto& controller) {
  w.field(Key("address", "PCI address"), controller.address);
  w.field(Key("vendor", "PCI vendor ID"), controller.vendor);
  w.field(Key("device", "PCI device ID"), controller.device);
  w.field(Key("driver", "driver of the device; empty: none"), controller.driver);
  w.field(Key("driver_override", "driver_override in sysfs"), controller.driver_override);
  w.field(Key("iommu_group", "IOMMU group; empty: none"), controller.iommu_group);
  w.field(Key("numa_node", "NUMA node; -1: unknown"), controller.numa_node);
  w.field(Key("kernel_name", "kernel name; empty: the kernel's driver does not have it"), controller.kernel_name);
  w.field(Key("model", "model; empty: unknown"), controller.model);
  w.field(Key("serial", "serial number"), controller.serial);
  w.field(Key("firmware", "firmware revision"), controller.firmware);
  w.list(Key("namespaces", "namespaces that the kernel shows"), "namespace", controller.namespaces);
}

template <class W>
void walk(W& w, Like<NvmeList> auto& list) {
  w.list(Key("controllers", "controllers of this machine"), "controller", list.controllers);
}

}  // namespace fathom::result
