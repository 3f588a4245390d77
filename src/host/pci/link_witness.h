// Health of the PCIe links of a run's devices, from sysfs files that every machine has: AER's error counters and the
// negotiated speed and width, read at begin and end. Counts as result::Count, source "link", subject a PCI address,
// reported only in these cases:
//   "aer_dev_correctable/BadTLP" ..., count: the increase;
//   "current_link_speed" GT/s and "current_link_width" lanes (value at the end, low at the begin) together with
//   "max_link_speed" and "max_link_width", if they changed or are below what both ends of the link support. A link
//   has one subject, its lower end.
// A function that vanishes ends with lost_at_s and the finding link.lost. begin() fails if none of the functions has
// such files (conventional PCI, most virtual machines): then there is no cross-check, and this is not an error. Source:
// Documentation/ABI/testing/sysfs-bus-pci, sysfs-bus-pci-devices-aer_stats. Thread rule: result::Witness's.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "result/witness.h"

namespace fathom::host::pci {

// PortPath::functions and PortPath::ports; an address named twice is read once.
std::unique_ptr<result::Witness> make_link_witness(const std::vector<std::string>& functions_and_ports,
                                                   std::string prefix = "");

}  // namespace fathom::host::pci
