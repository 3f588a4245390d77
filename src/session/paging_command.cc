// Clean up, check, measure, complete.
#include "session/paging_command.h"

#include <fmt/format.h>

#include <utility>

#include "paging/learn/observe/damon_sysfs.h"
#include "paging/pressure/pressure.h"
#include "result/findings/once.h"
#include "result/findings/rows.h"
#include "session/identity.h"
#include "session/paging_breakdown.h"
#include "session/paging_cost.h"

namespace fathom::session {
namespace {

using paging_job::Action;

std::string join(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

result::Finding stale_state(std::string_view variant, const std::string& what) {
  return result::findings::found("paging.leftovers", {.variant = variant, .values = {{"what", what}}});
}

// Removes the state that killed runs left. Each removal is a finding.
std::vector<result::Finding> clean_up_stale_state() {
  std::vector<result::Finding> findings;
  for (const auto& left : paging::pressure::clean_up()) {
    if (!left.waiting.empty())
      findings.push_back(stale_state("waiting", fmt::format("ended run {}: {}", left.pid, join(left.waiting))));
    if (left.undone.empty() && left.failed.empty()) continue;
    findings.push_back(
        stale_state(left.failed.empty() ? "" : "still",
                    fmt::format("run {} {}left: {}{}{}", left.pid, left.handed_over ? "" : "was killed and ",
                                join(left.undone), left.failed.empty() ? "" : "; still present: ", join(left.failed))));
  }
  using Outcome = paging::learn::observe::DamonLeft::Outcome;
  const auto damon = paging::learn::observe::undo_left_damon();
  if (damon.outcome != Outcome::nothing) {
    findings.push_back(stale_state(damon.outcome == Outcome::failed ? "still" : "", damon.says));
  }
  return findings;
}

void complete(result::Run& run, const PagingOrigin& origin) {
  run.program = origin.program;
  run.time_epoch_ms = run.paging->start_epoch_ms;
  identify(run);
  const auto of_build = audit::machine::build_findings(origin.build);
  run.findings.insert(run.findings.end(), of_build.begin(), of_build.end());
  result::findings::each_once(run.findings);
}

}  // namespace

base::Expected<CheckedPaging> check_as_asked(Action action, paging_job::Request request) {
  CheckedPaging checked{action, std::move(request), clean_up_stale_state()};
  auto& asked = checked.request;
  if (auto ok = action == Action::run ? check_paging(asked) : check_breakdown(asked); !ok) return ok.error();
  checked.findings.insert(checked.findings.end(), asked.findings.begin(), asked.findings.end());
  return checked;
}

base::Expected<result::Run> measure_as_asked(
    CheckedPaging checked,  // NOLINT(performance-unnecessary-value-param): changed
    const PagingOrigin& origin, PagingSession& session) {
  auto& [action, request, findings] = checked;
  session.clock = clocks::choose_paging_clock(request.plan, request.stamps_given);
  if (request.cost_ns > 0) {
    auto cost = measure_paging_cost(request, session);
    if (!cost) return cost.error();
    session.watching = std::move(cost->watching);
    findings.insert(findings.end(), cost->findings.begin(), cost->findings.end());
  }
  auto measured = action == Action::run ? measure_repeated(request, session) : break_down(request, session);
  if (!measured) return measured;
  measured->findings.insert(measured->findings.begin(), findings.begin(), findings.end());
  complete(*measured, origin);
  return measured;
}

std::vector<std::string> left_by_killed_runs() {
  std::vector<std::string> out;
  for (const int pid : paging::pressure::stale_runs())
    out.push_back(fmt::format("process {} was killed: its swap, cgroup or settings are still in place", pid));
  if (const int pid = paging::learn::observe::left_damon(); pid > 0)
    out.push_back(fmt::format("process {} was killed: its observation by DAMON is still active", pid));
  return out;
}

CleanedUp clean_up_as_asked(bool force) {
  CleanedUp cleaned;
  for (const auto& left : paging::pressure::clean_up(force)) {
    for (const auto& done : left.undone) cleaned.said.push_back(fmt::format("run {}: {}", left.pid, done));
    for (const auto& wait : left.waiting) cleaned.said.push_back(fmt::format("run {}: {}", left.pid, wait));
    for (const auto& still : left.failed)
      cleaned.said.push_back(fmt::format("run {}: not undone: {}", left.pid, still));
    cleaned.failed |= !left.failed.empty();
  }
  cleaned.not_looked = paging::pressure::cannot_look();
  const auto damon = paging::learn::observe::undo_left_damon();
  if (!damon.says.empty()) cleaned.said.push_back(damon.says);
  cleaned.failed |= damon.outcome == paging::learn::observe::DamonLeft::Outcome::failed;
  return cleaned;
}

}  // namespace fathom::session
