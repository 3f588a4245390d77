// The audit of a paging run: classes compared with the kernel's fault counters, the swap device's bytes with the
// faults, and the paper's Table 2. Pure. docs/reference/audit.md lists what each check can and cannot see.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "result/audit.h"
#include "result/paging.h"
#include "result/result.h"

namespace fathom::audit::paging {

// Requires run.paging. counts: from the counters around the run (block, device_time). Verdict and line as for every
// run.
result::Audit reconcile_paging(const result::Run& run, const std::vector<result::Count>& counts);
std::vector<result::Finding> paging_findings(const result::Run& run);

// A setting that differs from its value at the begin of the run, because another process set it.
struct PressureChange {
  std::string what, before, after;
};
std::vector<PressureChange> pressure_changes(const result::PagingPressure& begin, const result::PagingPressure& now);
// Adds those whose setting is not in `all` yet.
void add_changes(std::vector<PressureChange>& all, const std::vector<PressureChange>& more);
// paging.changed_by_others. meanwhile: seen during the run; a change that is not there at_end was restored.
std::vector<result::Finding> change_findings(const std::vector<PressureChange>& meanwhile,
                                             const std::vector<PressureChange>& at_end);

// Accesses per second with an interval: for one run over its series (batch means), for several over the repetitions.
result::PagingScore paging_score(const result::Paging& paging);
result::PagingScore paging_score(std::span<const result::Paging> repetitions);

// One configuration's column, from its repetitions. media_ns: the device's mean read latency in each.
result::PagingTableColumn table2_column(const std::string& name, std::span<const result::Paging> repetitions);

}  // namespace fathom::audit::paging
