// Whether the I/Os that the latency split could divide stand for the others: whichever I/Os lack events, they are not
// drawn by lot (a kernel that makes no samples on idle CPUs leaves those whose CPU slept, which are the usual ones).
// And whether their time does: a hundredth of the I/Os can be nearly all of it.
#include <fmt/format.h>

#include "audit/checks.h"
#include "audit/run_findings.h"
#include "result/sums/cost_words.h"

namespace fathom::audit {
namespace {

constexpr const char* kPrograms =
    "run as root, or with CAP_BPF and CAP_PERFMON, without lockdown: programs see all events";

using result::Undivided;

struct Partial {
  Undivided why;
  const char* what;
  const char* remedy;
};
constexpr const char* kBelieve = "believe lat and clat; the split says nothing of these I/Os";
constexpr Partial kPartials[] = {
    {Undivided::handed_on, "was handed to another task, probably held by an I/O limit of the cgroup",
     "look for a limit: io.max (blkio.throttle.*) of the groups in /proc/self/cgroup and above them"},
    {Undivided::read_ahead, "was spent on pages that read-ahead had on their way",
     "add direct=1 to measure the device"},
    {Undivided::contested, "was spent beside other I/Os at the same sectors",
     "let no two I/Os in flight meet: a random map (norandommap=0), a file for each job"},
    {Undivided::unplaced, "is of I/Os of which it is not known where they lie", kBelieve},
    {Undivided::cut, "is of I/Os that took longer than the slice of time in which tracing was on",
     "slow the job down (rate_iops=) until every I/O is looked at"},
    {Undivided::lost, "is of I/Os with events missing", kBelieve},
    {Undivided::unknown, "is of I/Os none of whose events was seen; why is not known", kBelieve},
};

// What the page cache answered is no shortcoming of the split: the report says it, and check_page_cache what to do.
void check_time(const result::BreakdownClass& c, Findings& out) {
  const double explained = result::explained_share(c);
  if (explained >= result::kLeastExplained) return;
  const Partial* main = &kPartials[0];
  for (const auto& row : kPartials)
    if (c.of(row.why).time_ns > c.of(main->why).time_ns) main = &row;
  const auto& most = c.of(main->why);
  if (most.time_ns == 0 || most.time_ns < c.of(Undivided::no_request).time_ns) return;
  const double share = 100 * static_cast<double>(most.time_ns) / result::looked_at_ns(c);
  out.push_back({"breakdown.partial", result::Severity::warning, c.job,
                 fmt::format("the parts explain {:.1f} % of the latency of the {}s looked at; {:.1f} % of it ({} of {} "
                             "I/Os) {}",
                             100 * explained, c.direction, share, most.ios, c.ios, main->what),
                 main->remedy});
}

// Only what is sure: an interval that reaches below is told by the report, and is no finding.
void check_cost(const result::Breakdown& split, const result::BreakdownClass& c, Findings& out) {
  if (result::verdict(c.watching) != result::CostVerdict::above) return;
  out.push_back(
      {"breakdown.cost", result::Severity::warning, c.job,
       fmt::format("while its {}s are watched, the job is slower by {}{}{}: more than {:.0f} %; it is watched "
                   "{:.0f} % of the time",
                   c.direction, result::sums::cost_number(c.watching), result::sums::cpu_words(c.watching),
                   result::sums::slices_words(c.watching), 100 * result::kMostCost, 100 * split.seen_share),
       "read the parts as shares; take rates and latencies from a run without --breakdown"});
}

void check_class(const result::Breakdown& split, const result::BreakdownClass& c, Findings& out) {
  if (c.ios == 0) return;
  check_time(c, out);
  check_cost(split, c, out);
  const std::uint64_t lost = c.of(Undivided::lost).ios;
  const double share = static_cast<double>(lost) / static_cast<double>(c.ios);
  if (share <= kLostShare) return;
  out.push_back(
      {"breakdown.biased", result::Severity::warning, c.job,
       fmt::format("of {} {}s looked at, {} ({:.1f} %) have events missing: the parts are those of a biased "
                   "choice",
                   c.ios, c.direction, lost, 100 * share),
       split.not_programs.empty() ? "believe lat and clat; see what was lost, and why, below the table" : kPrograms});
}

}  // namespace

void check_breakdown(const result::Run& run, Findings& out) {
  if (!run.breakdown || run.breakdown->classes.empty()) return;
  const auto& split = *run.breakdown;
  std::uint64_t lost = 0;
  for (const auto& c : split.classes) {
    lost += c.of(Undivided::lost).ios;
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
