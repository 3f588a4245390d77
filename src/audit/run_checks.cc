// Checks of the run as a whole: its end, and what verify= could not judge. Its bytes are the audit's (audit_checks.cc).
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "audit/checks.h"
#include "audit/run_findings.h"
#include "result/findings/rows.h"
#include "result/measured.h"

namespace fathom::audit {
using result::findings::found;

constexpr double kSecond_ns = 1e9;

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

// Jobs of one group are summed over the time from the first begin to the last end.
void check_apart(const result::Run& run, Findings& out) {
  std::set<int> groups;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times;
  for (const auto& job : run.jobs) {
    groups.insert(job.group_id);
    for (const auto& dir : job.dirs) {
      if (dir.ios == 0) continue;
      if (!dir.begin_ns || !dir.end_ns) return;
      times.emplace_back(*dir.begin_ns, *dir.end_ns);
    }
  }
  if (groups.size() > 1 || times.empty()) return;
  std::sort(times.begin(), times.end());
  std::uint64_t end_ns = times.front().first, idle_ns = 0;
  for (const auto& [from_ns, to_ns] : times) {
    idle_ns += from_ns > end_ns ? from_ns - end_ns : 0;
    end_ns = std::max(end_ns, to_ns);
  }
  const auto all_ns = static_cast<double>(end_ns - times.front().first), nobody_ns = static_cast<double>(idle_ns);
  if (nobody_ns < kStoppedShareOfARun * all_ns || idle_ns == 0) return;
  out.push_back(found("run.apart", {.values = {{"idle_s", nobody_ns / kSecond_ns}, {"run_s", all_ns / kSecond_ns}},
                                    .effect = result::Effect{result::EffectOn::time, nobody_ns / all_ns}}));
}

// continue_on_error=, ignore_error=: the job ended well, and its numbers leave these I/Os out.
void check_continued(const result::Run&, const result::Job& job, Findings& out) {
  if (job.error_count == 0 || job.error != 0) return;
  double ios = 0;
  for (const auto& dir : job.dirs) ios += static_cast<double>(dir.ios);
  const auto errors = static_cast<double>(job.error_count);
  out.push_back(found("run.io_errors", {.job = job.name,
                                        .values = {{"errors", job.error_count}, {"ios", ios}},
                                        .effect = result::Effect{result::EffectOn::bytes, errors / (errors + ios)}}));
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
