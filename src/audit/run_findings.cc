// The tables of checks, and one rule for all of them: a doubt that a thousand jobs share is said once.
#include "audit/run_findings.h"

#include <fmt/format.h>

#include <map>

#include "audit/checks.h"

namespace fathom::audit {
namespace {

constexpr void (*kRunChecks[])(const result::Run&, Findings&) = {check_interrupted, check_clock_choice,
                                                                 check_clock_drift, check_audit, check_breakdown};
constexpr void (*kJobChecks[])(const result::Run&, const result::Job&, Findings&) = {
    check_runtime,          check_page_cache,      check_stamps,          check_rate,
    check_clock_resolution, check_own_cost,        check_delivered_sizes, check_delivered_mix,
    check_delivered_depth,  check_delivered_bytes, check_direct_ignored,  check_unsynced};

Findings shared_said_once(const Findings& all) {
  std::map<std::string, std::size_t> count, seen;
  for (const auto& f : all) ++count[f.id];
  Findings kept;
  for (const auto& f : all) {
    const std::size_t n = count[f.id];
    if (n <= kMostFindingsOfAKind) {
      kept.push_back(f);
    } else if (++seen[f.id] == 1) {
      kept.push_back(
          {f.id, f.severity, "", fmt::format("{}: {} (and {} more like it)", f.job, f.evidence, n - 1), f.remedy});
    }
  }
  return kept;
}

}  // namespace

std::vector<result::Finding> run_findings(const result::Run& run) {
  Findings all;
  for (const auto check : kRunChecks) check(run, all);
  for (const auto check : kJobChecks) {
    for (const auto& job : run.jobs) check(run, job, all);
  }
  return shared_said_once(all);
}

}  // namespace fathom::audit
