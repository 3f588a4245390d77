// Whether the I/Os that the latency split could divide stand for the others: whichever I/Os lack events, they are not
// drawn by lot (a kernel that makes no samples on idle CPUs leaves those whose CPU slept, which are the usual ones).
#include <fmt/format.h>

#include "audit/checks.h"
#include "audit/run_findings.h"

namespace fathom::audit {
namespace {

constexpr const char* kPrograms =
    "run as root, or with CAP_BPF and CAP_PERFMON, without lockdown: programs see all events";

void check_class(const result::Breakdown& split, const result::BreakdownClass& c, Findings& out) {
  if (c.ios == 0) return;
  const double share = static_cast<double>(c.lost) / static_cast<double>(c.ios);
  if (share <= kLostShare) return;
  out.push_back(
      {"breakdown.biased", result::Severity::warning, c.job,
       fmt::format("of {} {}s looked at, {} ({:.1f} %) have events missing: the parts are those of a biased "
                   "choice",
                   c.ios, c.direction, c.lost, 100 * share),
       split.not_programs.empty() ? "believe lat and clat; see what was lost, and why, below the table" : kPrograms});
}

}  // namespace

void check_breakdown(const result::Run& run, Findings& out) {
  if (!run.breakdown || run.breakdown->classes.empty()) return;
  const auto& split = *run.breakdown;
  std::uint64_t lost = 0;
  for (const auto& c : split.classes) {
    lost += c.lost;
    check_class(split, c, out);
  }
  if (!split.not_programs.empty() && lost > 0)
    out.push_back({"breakdown.perf_samples", result::Severity::note, "",
                   fmt::format("the split read {}, and {} I/Os have events missing: a kernel may drop those of idle "
                               "CPUs ({})",
                               split.events_by, lost, split.not_programs),
                   kPrograms});
}

}  // namespace fathom::audit
