// The checks behind run_findings(), grouped by their input. Each appends its findings and has no other effect.
#pragma once
#include <vector>

#include "result/finding.h"
#include "result/result.h"

namespace fathom::audit {

using Findings = std::vector<result::Finding>;
inline constexpr const char* kDirNames[result::kDirs] = {"read", "write", "trim"};

// Checks of one job. run_findings.cc has which checks get the single jobs, and which the jobs as reported (a
// group_reporting sum counts as one).
void check_runtime(const result::Run& run, const result::Job& job, Findings& out);           // run.too_short
void check_page_cache(const result::Run& run, const result::Job& job, Findings& out);        // run.page_cache
void check_stamps(const result::Run& run, const result::Job& job, Findings& out);            // stamps.width
void check_rate(const result::Run& run, const result::Job& job, Findings& out);              // rate.not_kept, rate.late
void check_clock_resolution(const result::Run& run, const result::Job& job, Findings& out);  // clock.coarse
void check_completions(const result::Run& run, const result::Job& job, Findings& out);       // nvme.strange_completions
void check_own_cost(const result::Run& run, const result::Job& job, Findings& out);          // cost.large

void check_delivered_sizes(const result::Run& run, const result::Job& job, Findings& out);  // delivery.sizes
void check_delivered_mix(const result::Run& run, const result::Job& job, Findings& out);    // delivery.mix
void check_delivered_depth(const result::Run& run, const result::Job& job,
                           Findings& out);  // delivery.depth, .synchronous
void check_delivered_bytes(const result::Run& run, const result::Job& job,
                           Findings& out);                                                 // delivery.window, .coverage
void check_direct_ignored(const result::Run& run, const result::Job& job, Findings& out);  // delivery.direct_ignored
void check_polled(const result::Run& run, const result::Job& job, Findings& out);          // delivery.not_polled
void check_unsynced(const result::Run& run, const result::Job& job, Findings& out);        // delivery.unsynced
void check_continued(const result::Run& run, const result::Job& job, Findings& out);       // run.io_errors
void check_verified(const result::Run& run, const result::Job& job, Findings& out);        // verify.withheld

void check_level(const result::Run& run, const result::Job& job, Findings& out);    // run.changed
void check_stopped(const result::Run& run, const result::Job& job, Findings& out);  // run.stopped
bool has_gaps(const result::Run& run, const result::Job& job);  // without I/Os, and a large part of the run
void check_unread(const result::Run& run, const result::Job& job, Findings& out);          // audit.job_unread
void check_memory_limit(const result::Run& run, const result::Job& job, Findings& out);    // memory.max
void check_steady(const result::Run& run, const result::Job& job, Findings& out);          // run.not_steady
void check_few_ios(const result::Run& run, const result::Job& job, Findings& out);         // run.few_ios
void check_modes(const result::Run& run, const result::Job& job, Findings& out);           // run.two_modes
void check_cpu_wait(const result::Run& run, const result::Job& job, Findings& out);        // cpu.wait
void check_no_medium(const result::Run& run, const result::Job& job, Findings& out);       // run.no_medium
void check_no_data(const result::Run& run, const result::Job& job, Findings& out);         // run.no_medium
void check_replay(const result::Run& run, const result::Job& job, Findings& out);          // replay.*
void check_latency_target(const result::Run& run, const result::Job& job, Findings& out);  // rate.latency_target

// Checks of the whole run.
void check_clock_choice(const result::Run& run, Findings& out);  // clock.unfit, .fell_back, .not_tested, .check_skipped
void check_clock_drift(const result::Run& run, Findings& out);   // clock.drift
void check_audit(const result::Run& run, Findings& out);         // audit.disagrees, .foreign_io ..., link.errors ...
void check_breakdown(const result::Run& run, Findings& out);     // breakdown.biased, .cost, .partial
void check_watching(const result::Run& run, Findings& out);      // watching.cost
void check_settled(const result::Run& run, Findings& out);       // machine.busy
void check_interrupted(const result::Run& run, Findings& out);   // run.interrupted
void check_device_depth(const result::Run& run, Findings& out);  // delivery.depth
void check_apart(const result::Run& run, Findings& out);         // run.apart

}  // namespace fathom::audit
