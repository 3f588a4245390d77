// Targets below which there is no disk, or none that is known: what is measured is memory, or what nothing can be
// compared with. Thread rule: the main thread.
#pragma once
#include <vector>

#include "audit/witnesses/facts.h"
#include "host/placement/placement.h"
#include "result/finding.h"
#include "run/files/targets.h"

namespace fathom::witness::targets {

// facts.jobs: one for each plan, in order. Direct I/O to a file in memory has a finding of its own
// (delivery.direct_ignored).
std::vector<result::Finding> without_disk(const std::vector<run::files::Plan>& plans,
                                          const audit::witnesses::Facts& facts,
                                          host::placement::Placements& placements);

}  // namespace fathom::witness::targets
