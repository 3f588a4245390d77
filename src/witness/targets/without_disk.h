// Targets without a disk, or without a known one: the run measures memory, or something that has no cross-check. Thread
// rule: the main thread.
#pragma once
#include <vector>

#include "audit/witnesses/facts.h"
#include "host/placement/placement.h"
#include "result/finding.h"
#include "run/files/targets.h"

namespace fathom::witness::targets {

// facts.jobs: one for each plan, in order. Direct I/O to a file in memory has a separate finding
// (delivery.direct_ignored).
std::vector<result::Finding> without_disk(const std::vector<run::files::Plan>& plans,
                                          const audit::witnesses::Facts& facts,
                                          host::placement::Placements& placements);

}  // namespace fathom::witness::targets
