// Checks of the run as a whole: its end, and what verify= could not judge. Its bytes are the audit's (audit_checks.cc).
#include <fmt/format.h>

#include <algorithm>

#include "audit/checks.h"
#include "result/measured.h"

namespace fathom::audit {
using result::Severity;

void check_interrupted(const result::Run& run, Findings& out) {
  const auto stopped =
      std::count_if(run.jobs.begin(), run.jobs.end(), [](const result::Job& job) { return job.interrupted; });
  if (!run.interrupted && stopped == 0) return;
  const auto told = [](const result::Finding& f) { return f.id == "run.interrupted_in_layout"; };
  if (std::any_of(run.findings.begin(), run.findings.end(), told)) return;
  if (result::nothing_measured(run)) {
    out.push_back({"run.interrupted", Severity::warning, "", "interrupted before the first I/O; nothing was measured",
                   "let the run come to its jobs"});
    return;
  }
  out.push_back({"run.interrupted", Severity::warning, "",
                 fmt::format("stopped before its end; {} of {} jobs were cut short", stopped, run.jobs.size()),
                 "the numbers cover what was done until then: let the run end by itself to compare it with others"});
}

// Written and not judged: to be silent about it would claim more than was looked at.
void check_verified(const result::Run&, const result::Job& job, Findings& out) {
  const auto& verified = job.verified;
  const auto standing = static_cast<double>(verified.exact + verified.some_version + verified.withheld);
  if (verified.withheld == 0) return;
  out.push_back(
      {"verify.withheld", Severity::warning, job.name,
       fmt::format(
           "{} bytes, {:.2g} % of what stands at the end, were not judged: several writes of the same "
           "place were in flight together, whose order nobody knows, a write had failed or was in flight when its run "
           "was ended, or (verify_policy=fsynced) no fsync came after it",
           verified.withheld, 100 * static_cast<double>(verified.withheld) / standing),
       "write each place once (no norandommap=1), or with iodepth=1"});
}

}  // namespace fathom::audit
