// The cross-checks of a command, selected by its --audit and by the layers under its jobs' targets. Opens only sysfs
// files. Thread rule: the main thread.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "audit/witnesses/facts.h"
#include "host/placement/placement.h"
#include "job/command.h"
#include "pmu/events/sources.h"
#include "result/result.h"
#include "result/witness.h"
#include "run/files/targets.h"

namespace fathom::witness {

using Witnesses = std::vector<std::unique_ptr<result::Witness>>;

inline constexpr std::string_view kPciePmu = "PCIe PMU";  // name of the missing cross-check if no port is counted

struct WitnessList {
  audit::witnesses::Facts facts;
  Witnesses witnesses;
  Witnesses idle;                                      // --settle: the port's traffic while nothing runs
  std::unique_ptr<pmu::events::EventSources> sources;  // of the witnesses; outlives them
  std::vector<result::Finding> findings;               // missing PCIe PMU, targets without a disk
};

WitnessList list_witnesses(const job::Command& command, const std::vector<run::files::Plan>& plans,
                           host::placement::Placements& placements);

// Adds the bytes of the commands themselves on the wire. Call when the number of commands is known.
void add_overhead(const result::Run& run, const std::vector<result::Count>& counts, audit::witnesses::Facts& facts);

}  // namespace fathom::witness
