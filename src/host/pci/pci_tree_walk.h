// Helpers for sysfs that the PCI files of this directory share. A device's real path names every bridge above it:
// /sys/devices/pci0000:00/0000:00:02.0/0000:04:00.0/ata1/host0/target0:0:0/0:0:0:0/block/sda.
#pragma once
#include <string>
#include <vector>

#include "host/pci/pci_tree.h"

namespace fathom::host::pci {

// The PCI functions in a real path below the last host bridge: the root port first, the device itself last. A host
// bridge inside the path (Intel VMD's own domain, below a function of the first) restarts the list.
std::vector<PciAddress> pci_chain(const std::string& real_path);

std::string function_folder(const PciAddress& address, const std::string& prefix);  // .../sys/bus/pci/devices/<address>
std::string real_path(const std::string& path);                                     // "": it does not exist
std::uint32_t read_hex(const std::string& path);                                    // "0x010802"; 0 if unreadable
bool is_bridge(std::uint32_t class_code);  // PCI to PCI: forwards transactions and terminates none

// Real paths of the devices that carry a whole disk's data: its own, or for NVMe native multipath its controllers'.
std::vector<std::string> carriers(const std::string& disk, const std::string& prefix);

}  // namespace fathom::host::pci
