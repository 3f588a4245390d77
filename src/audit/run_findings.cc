// The tables of checks. A warning that many jobs share is stated once.
#include "audit/run_findings.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "audit/checks.h"

namespace fathom::audit {
namespace {

constexpr void (*kRunChecks[])(const result::Run&, Findings&) = {
    check_settled, check_interrupted, check_apart,    check_clock_choice, check_clock_drift,
    check_audit,   check_breakdown,   check_watching, check_device_depth};
constexpr void (*kJobChecks[])(const result::Run&, const result::Job&, Findings&) = {
    check_runtime,  check_stamps, check_clock_resolution, check_own_cost, check_completions, check_continued,
    check_verified, check_level,  check_few_ios,          check_modes,    check_cpu_wait,    check_no_medium};
// For single jobs only: jobs that requested different things have no common answer.
constexpr void (*kSingleChecks[])(const result::Run&, const result::Job&, Findings&) = {
    check_rate,           check_page_cache,      check_delivered_sizes,
    check_delivered_mix,  check_delivered_depth, check_delivered_bytes,
    check_direct_ignored, check_unsynced,        check_stopped,
    check_no_data,        check_latency_target,  check_steady,
    check_unread,         check_polled,          check_memory_limit,
    check_replay};

// Clones of one section share one finding.
void check_singles(const result::Run& run, void (*check)(const result::Run&, const result::Job&, Findings&),
                   Findings& out) {
  std::map<std::pair<int, std::string>, std::pair<std::size_t, std::size_t>> said;  // index in out, more jobs
  const auto look = [&](const result::Job& job) {
    Findings found;
    if (job.members == 1) check(run, job, found);
    for (auto& finding : found) {
      const auto [at, first] = said.try_emplace({job.section, finding.id}, out.size(), 0);
      if (first)
        out.push_back(std::move(finding));
      else
        ++at->second.second;
    }
  };
  for (const auto& job : run.jobs) look(job);
  for (const auto& job : run.group_members) look(job);
  for (const auto& [key, value] : said)
    if (value.second > 0) out[value.first].evidence += fmt::format(" (and {} more of its copies)", value.second);
}

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
  for (const auto check : kSingleChecks) check_singles(run, check, all);
  return shared_said_once(all);
}

}  // namespace fathom::audit
