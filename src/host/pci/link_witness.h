// Health of the links that a run's data goes over, from what every machine's sysfs has: AER's error counters and the
// negotiated speed and width, read at begin and end. Counts as result::Count, source "link", subject a PCI address, and
// only where there is something to say:
//   "aer_dev_correctable/BadTLP" ..., count: by how much it rose;
//   "current_link_speed" GT/s and "current_link_width" lanes (value at the end, low at the begin) beside
//   "max_link_speed" and "max_link_width", where they changed or are below what both ends of the link can do. A link
//   has one subject, its lower end.
// A function that vanishes ends with lost_at_s and the finding link.lost. begin() fails where none of the functions has
// such files (conventional PCI, most virtual machines): then there is no witness, and nothing is wrong.
// Source: Documentation/ABI/testing/sysfs-bus-pci, sysfs-bus-pci-devices-aer_stats. Thread rule: result::Witness's.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "result/witness.h"

namespace fathom::host::pci {

// PortPath::functions and PortPath::ports; an address named twice is looked at once.
std::unique_ptr<result::Witness> make_link_witness(const std::vector<std::string>& functions_and_ports,
                                                   std::string prefix = "");

}  // namespace fathom::host::pci
