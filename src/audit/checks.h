// The checks behind run_findings(), by what they look at. Each appends what it finds and nothing else.
#pragma once
#include <vector>

#include "result/finding.h"
#include "result/result.h"

namespace fathom::audit {

using Findings = std::vector<result::Finding>;

// Of one job as reported (a group_reporting sum counts as one).
void check_runtime(const result::Run& run, const result::Job& job, Findings& out);           // run.too_short
void check_page_cache(const result::Run& run, const result::Job& job, Findings& out);        // run.page_cache
void check_stamps(const result::Run& run, const result::Job& job, Findings& out);            // stamps.width
void check_rate(const result::Run& run, const result::Job& job, Findings& out);              // rate.not_kept, rate.late
void check_clock_resolution(const result::Run& run, const result::Job& job, Findings& out);  // clock.coarse
void check_own_cost(const result::Run& run, const result::Job& job, Findings& out);          // cost.large

// Of the whole run.
void check_clock_choice(const result::Run& run, Findings& out);  // clock.unfit, .fell_back, .not_tested, .check_skipped
void check_clock_drift(const result::Run& run, Findings& out);   // clock.drift
void check_audit(const result::Run& run, Findings& out);         // audit.disagrees, .foreign_io ..., link.errors ...
void check_breakdown(const result::Run& run, Findings& out);     // breakdown.biased, .perf_samples
void check_interrupted(const result::Run& run, Findings& out);   // run.interrupted

}  // namespace fathom::audit
