// fathom's own zram device may have another number in the next set-up. So devices are identified by their order.
#include "session/paging_cost.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "paging/memory/media.h"
#include "witness/cost/paging_cost_run.h"

namespace fathom::session {
namespace {

std::vector<result::Finding> errors_among(const std::vector<result::Finding>& findings) {
  std::vector<result::Finding> errors;
  std::copy_if(findings.begin(), findings.end(), std::back_inserter(errors),
               [](const auto& f) { return f.severity == result::Severity::error; });
  return errors;
}

}  // namespace

paging_job::Request for_cost(paging_job::Request options) {
  auto& plan = options.plan;
  plan.duration_s = static_cast<double>(options.cost_ns) * 1e-9;
  plan.delay_start_s = 0;
  plan.touch.max_accesses = 0;
  plan.touch.mark_above_ns = 0;
  plan.pattern.trace_loop = plan.pattern.name == "trace";
  return options;
}

base::Expected<PagingCost> measure_paging_cost(const paging_job::Request& options, PagingSession& session) {
  const auto asked = for_cost(options);
  const std::string which = "probe overhead: ";
  PagingCost out;
  UnderPressure machine(asked, session, which);
  if (auto ok = machine.set_up(out.findings); !ok) return ok.error();
  out.findings.clear();  // the set-up of the measurement reports them

  host::placement::Placements placements;
  witness::cost::PagingCostRun cost(paging::memory::media_of(asked.plan, machine.facts().swaps, placements));
  base::Expected<paging::Measured> measured = paging::Measured();
  if (cost.any()) {
    paging::MeasureOptions how;
    how.on_start = [&](const paging::Touchers& touchers) { cost.begin(touchers); };
    how.on_end = [&](std::uint64_t) { cost.end(); };
    measured = machine.measure(std::move(how));
  }
  const auto restored = machine.restore();
  if (!measured) return with_what_stays(measured.error(), restored);
  if (session.stop.load() > 0) return with_what_stays(interrupted(), restored);
  out.watching = cost.costs();
  add_findings(out.findings, restored, "--cost");
  add_findings(out.findings, errors_among(measured->findings), "--cost");
  return out;
}

void give_cost(const std::vector<result::WatcherCost>& watching, std::vector<result::DeviceTime>& devices) {
  std::vector<const result::WatchingCost*> of_device;
  for (const auto& row : watching)
    if (row.watcher.starts_with(result::kDeviceTimeOf)) of_device.push_back(&row.cost);
  if (of_device.size() != devices.size()) return;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto& own = devices[i].watching;
    if (own.by == result::CostBy::nothing && result::is_told(own)) own = *of_device[i];
  }
}

}  // namespace fathom::session
