// Converts what pmu/ and host/ read to the plain data of a result. Pure.
#pragma once
#include "host/pci/pci_tree.h"
#include "pmu/events/sources.h"
#include "pmu/pcie/pcie.h"
#include "pmu/pcie/pcie_dwc.h"
#include "result/commands/pmu_list.h"

namespace fathom::session::counters {

result::PmuSource listed(const pmu::events::Source& source);
result::PcieRule listed(const pmu::pcie::PcieRule& rule);
result::PciePmu listed(const pmu::pcie::PciePmu& one);
result::ListedPort listed(const host::pci::RootPort& port);  // without its PMU
result::DwcGroup listed(const pmu::pcie::DwcGroup& group);
result::DwcEvent listed(const pmu::pcie::DwcEvent& event);  // from the groups that dwc_groups() returns
result::DevicePath listed(const host::pci::PortPath& path);

}  // namespace fathom::session::counters
