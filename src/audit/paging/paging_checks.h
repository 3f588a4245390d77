// The audit of a paging run: classes against the kernel's own fault counters, the swap device's bytes against the
// faults, the paper's Table 2. Pure. docs/reference/audit.md says what each can and cannot see.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "result/audit.h"
#include "result/paging.h"
#include "result/result.h"

namespace fathom::audit::paging {

// run.paging is there. counts: of the witnesses around the run (block, device_time). Verdict and line as for every run.
result::Audit reconcile_paging(const result::Run& run, const std::vector<result::Count>& counts);
std::vector<result::Finding> paging_findings(const result::Run& run);
// What somebody else set while the run lasted: the pressure at its begin, and at its end.
std::vector<result::Finding> pressure_changes(const result::PagingPressure& begin, const result::PagingPressure& end);

// Accesses a second with an interval: of one run over its series (batch means), of several over the repetitions.
result::PagingScore paging_score(const result::Paging& paging);
result::PagingScore paging_score(std::span<const result::Paging> repetitions);

// One configuration's column from its repetitions. media_ns: the device's own mean read time in each.
result::PagingTableColumn table2_column(const std::string& name, std::span<const result::Paging> repetitions);

}  // namespace fathom::audit::paging
