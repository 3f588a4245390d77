// Checks of the run as a whole: its end. Its bytes are the audit's (audit_checks.cc).
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

}  // namespace fathom::audit
