// `fathom pmu list`: what it shows, apart from where it is read. pmu_list_view.cc reads, pmu_list_text.cc,
// pmu_list_events.cc and pmu_list_json.cc are pure functions of it.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/pci/pci_tree.h"
#include "pmu/events/sources.h"
#include "pmu/pcie/pcie.h"
#include "pmu/pcie/pcie_dwc.h"

namespace fathom::cli::pmu_commands {

int pmu_list(std::span<const std::string> args);

struct ListedPort {
  host::pci::RootPort port;
  std::optional<pmu::pcie::PciePmu> pmu;
};

struct ListedSystem {
  std::string name;  // "block"
  std::vector<std::string> events;
};

// One event of this machine, or of the data files only (`here` is false).
struct ListedEvent {
  std::string
      name;  // as `-e` takes it: "pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/", "block:block_rq_issue", "page-faults"
  std::string pmu, terms, unit;
  double scale = 1;
  bool here = true;
  const pmu::pcie::DwcEvent* dwc = nullptr;
  std::optional<pmu::pcie::PcieRule> rule;  // how it counts PCIe bytes
};

struct PmuListing {
  std::vector<pmu::events::Source> sources;
  std::vector<pmu::pcie::PciePmu> pcie;
  std::vector<ListedPort> ports;
  std::vector<std::string> software;  // names of the kernel's software events
  std::vector<ListedSystem> systems;  // of tracepoints
  std::string no_tracepoints;         // why there are none, and what to do
};

PmuListing look_at_pmus(const std::string& root);

// Events that a pattern means: shell wildcards, or a part of the name; of the data files too.
std::vector<ListedEvent> matching_events(const PmuListing& listing, const std::string& pattern);
// PMUs that a pattern means; with their events, those too of which it means an event.
std::vector<pmu::events::Source> matching_sources(const PmuListing& listing, const std::string& pattern,
                                                  bool with_events);
// Rows of the PCIe table that a pattern means.
std::vector<pmu::pcie::PcieRule> matching_rules(const std::string& pattern);
// Usage error with the nearest names, where nothing matches.
base::Error no_match(const PmuListing& listing, const std::string& pattern);

std::string pmu_list_text(const PmuListing& listing, bool explain);
// Type, CPUs and the terms of each, with their bits.
std::string sources_text(std::span<const pmu::events::Source> sources);
std::string ports_text(std::span<const ListedPort> ports);
std::string events_text(std::span<const ListedEvent> events, std::span<const pmu::pcie::PcieRule> rules, bool explain);
std::string device_text(const host::pci::PortPath& path, const PmuListing& listing);
// What a pattern means, in place of the whole.
struct Matches {
  std::vector<pmu::events::Source> sources;
  std::vector<ListedEvent> events;
};
std::string pmu_list_json(const PmuListing& listing, const Matches* matches, const host::pci::PortPath* device);

}  // namespace fathom::cli::pmu_commands
