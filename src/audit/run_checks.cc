// Checks of the run as a whole: its end, and what verify= could not judge. Its bytes are the audit's (audit_checks.cc).
#include <algorithm>

#include "audit/checks.h"
#include "result/findings/rows.h"
#include "result/measured.h"

namespace fathom::audit {
using result::findings::found;

void check_interrupted(const result::Run& run, Findings& out) {
  const auto stopped =
      std::count_if(run.jobs.begin(), run.jobs.end(), [](const result::Job& job) { return job.interrupted; });
  if (!run.interrupted && stopped == 0) return;
  const auto told = [](const result::Finding& f) { return f.id == "run.interrupted_in_layout"; };
  if (std::any_of(run.findings.begin(), run.findings.end(), told)) return;
  if (result::nothing_measured(run)) {
    out.push_back(found("run.interrupted", {.variant = "nothing"}));
    return;
  }
  out.push_back(found("run.interrupted", {.values = {{"stopped_jobs", stopped}, {"jobs", run.jobs.size()}}}));
}

// Written and not judged: to be silent about it would claim more than was looked at.
void check_verified(const result::Run&, const result::Job& job, Findings& out) {
  const auto& verified = job.verified;
  const auto standing = static_cast<double>(verified.exact + verified.some_version + verified.withheld);
  if (verified.withheld == 0) return;
  const double share = static_cast<double>(verified.withheld) / standing;
  out.push_back(
      found("verify.withheld", {.job = job.name,
                                .values = {{"withheld_bytes", verified.withheld}, {"withheld_percent", 100 * share}},
                                .effect = result::Effect{result::EffectOn::bytes, share}}));
}

}  // namespace fathom::audit
