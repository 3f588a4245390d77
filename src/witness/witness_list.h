// Which witnesses there are for a command: by its --audit and by what lies under the targets of its jobs. Nothing is
// opened here but files of sysfs. Thread rule: the main thread.
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

inline constexpr std::string_view kPciePmu = "PCIe PMU";  // what there is none of where no port is counted

struct WitnessList {
  audit::witnesses::Facts facts;
  Witnesses witnesses;
  Witnesses idle;                                      // --settle: what passes the port when nothing runs
  std::unique_ptr<pmu::events::EventSources> sources;  // of the witnesses; outlives them
  std::vector<result::Finding> findings;               // what was asked for and is not there
};

WitnessList list_witnesses(const job::Command& command, const std::vector<run::files::Plan>& plans,
                           host::placement::Placements& placements);

// What commands added on the wire, once it is known how many there were.
void add_overhead(const result::Run& run, const std::vector<result::Count>& counts, audit::witnesses::Facts& facts);

}  // namespace fathom::witness
