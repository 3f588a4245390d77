// Checks of the whole run: how it ended, and data that verify= could not judge. For its bytes see audit_checks.cc.
#include <algorithm>
#include <utility>

#include "audit/checks.h"
#include "audit/run_findings.h"
#include "result/findings/rows.h"
#include "result/measured.h"
#include "result/sums/apart.h"

namespace fathom::audit {
using result::findings::found;

void check_settled(const result::Run& run, Findings& out) {
  const auto& settle = run.settle;
  if (!settle.asked || settle.settled) return;
  out.push_back(found("machine.busy", {.values = {{"waited_s", settle.waited_s},
                                                  {"cpu_percent", settle.background_cpu_percent},
                                                  {"disk_iops", settle.background_disk_iops}}}));
}

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
  out.push_back(found("run.interrupted", {.variant = stopped == 0 && !run.repeated.empty() ? "repetitions" : "",
                                          .values = {{"stopped_jobs", stopped}, {"jobs", run.jobs.size()}}}));
}

void check_apart(const result::Run& run, Findings& out) {
  if (auto finding = result::sums::apart(run)) out.push_back(std::move(*finding));
}

// continue_on_error=, ignore_error=: the job ended without an error, and its numbers exclude the failed I/Os.
void check_continued(const result::Run&, const result::Job& job, Findings& out) {
  if (job.error_count == 0 || job.error != 0) return;
  double ios = 0;
  for (const auto& dir : job.dirs) ios += static_cast<double>(dir.ios);
  const auto errors = static_cast<double>(job.error_count);
  out.push_back(found("run.io_errors", {.job = job.name,
                                        .values = {{"errors", job.error_count}, {"ios", ios}},
                                        .effect = result::Effect{result::EffectOn::bytes, errors / (errors + ios)}}));
}

// Data written but not judged. Without this finding, the result would claim more than was checked.
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
