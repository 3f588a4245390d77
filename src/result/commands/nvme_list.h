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
  w.field(Key("nsid", "its number"), ns.nsid);
  w.field(Key("block_device", "the kernel's name"), ns.block_device);
  w.field(Key("character_device", "the kernel's name; empty: none"), ns.character_device);
  w.field(Key("size_bytes", "of it"), ns.size_bytes);
  w.field(Key("block_bytes", "of a logical block"), ns.block_bytes);
  w.field(Key("use", "what the kernel uses it for"), ns.use);
}

template <class W>
void walk(W& w, Like<NvmeListed> auto& controller) {
  w.field(Key("address", "of PCI"), controller.address);
  w.field(Key("vendor", "of PCI"), controller.vendor);
  w.field(Key("device", "of PCI"), controller.device);
  w.field(Key("driver", "that has it; empty: none"), controller.driver);
  w.field(Key("driver_override", "of sysfs"), controller.driver_override);
  w.field(Key("iommu_group", "empty: none"), controller.iommu_group);
  w.field(Key("numa_node", "-1: unknown"), controller.numa_node);
  w.field(Key("kernel_name", "empty: the kernel's driver has it not"), controller.kernel_name);
  w.field(Key("model", "empty: not known"), controller.model);
  w.field(Key("serial", "number"), controller.serial);
  w.field(Key("firmware", "revision"), controller.firmware);
  w.list(Key("namespaces", "that the kernel shows"), "namespace", controller.namespaces);
}

template <class W>
void walk(W& w, Like<NvmeList> auto& list) {
  w.list(Key("controllers", "of this machine"), "controller", list.controllers);
}

}  // namespace fathom::result
