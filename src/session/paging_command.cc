// Check, measure, complete.
#include "session/paging_command.h"

#include <algorithm>
#include <utility>

#include "session/identity.h"
#include "session/paging_breakdown.h"
#include "session/paging_leftovers.h"

namespace fathom::session {
namespace {

using paging_job::Action;

void each_once(std::vector<result::Finding>& findings) {
  std::vector<result::Finding> kept;
  for (auto& finding : findings) {
    const auto same = [&](const auto& k) { return k.id == finding.id && k.evidence == finding.evidence; };
    if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(std::move(finding));
  }
  findings = std::move(kept);
}

void complete(result::Run& run, const PagingOrigin& origin) {
  run.program = origin.program;
  run.time_epoch_ms = run.paging->start_epoch_ms;
  identify(run, origin.schema);
  const auto of_build = audit::build_findings(origin.build);
  run.findings.insert(run.findings.end(), of_build.begin(), of_build.end());
  each_once(run.findings);
}

}  // namespace

base::Expected<CheckedPaging> check_as_asked(Action action, paging_job::Request request) {
  CheckedPaging checked{action, std::move(request), clean_up_stale_state()};
  auto& asked = checked.request;
  if (auto ok = action == Action::run ? check_paging(asked) : check_breakdown(asked); !ok) return ok.error();
  checked.findings.insert(checked.findings.end(), asked.findings.begin(), asked.findings.end());
  return checked;
}

base::Expected<result::Run> measure_as_asked(CheckedPaging checked, const PagingOrigin& origin,
                                             PagingSession& session) {
  auto& [action, request, findings] = checked;
  session.clock = choose_paging_clock(request.plan, request.stamps_given);
  auto measured = action == Action::run ? measure_repeated(request, session) : break_down(request, session);
  if (!measured) return measured;
  measured->findings.insert(measured->findings.begin(), findings.begin(), findings.end());
  complete(*measured, origin);
  return measured;
}

}  // namespace fathom::session
