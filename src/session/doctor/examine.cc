// Gathers the facts; audit/ makes checks of them.
#include "session/doctor/examine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/doctor/doctor_checks.h"
#include "clock/cores/cross_core.h"
#include "clock/verdict_cache.h"
#include "job/job.h"
#include "loops/table.h"
#include "run/loop/own_cost.h"
#include "run/process/clock_choice.h"
#include "session/clock_tools.h"
#include "session/doctor/facts_of_machine.h"

namespace fathom::session::doctor {
namespace {

std::optional<double> loop_ns(run::loop::OwnCosts& costs, std::uint32_t depth,
                              const clock::sources::Calibration& calibration) {
  job::Job job;
  job.iodepth = depth;
  job.mode.random = job.norandommap = depth > 1;
  const auto cost = costs.of(job, depth == 1, calibration);
  if (!cost) return std::nullopt;
  return cost->loop_ns_per_io;
}

// The clock as a job without clocksource= would get it, on all CPUs that this process may use.
void add_clock(audit::doctor::Facts& facts) {
  const std::vector<run::files::Plan> plans(1);
  const auto tools = session::clock_tools(job::ClockCheck::cached);
  const run::process::RunClocks clocks(plans, tools, clock::cores::usable_cpus());
  const auto& stamping = clocks.calibration(plans[0].job);
  facts.clock = clocks.facts(plans[0].job);
  if (const auto drift = clock::load_drift()) {
    facts.clock.drift_ppm = drift->drift_ppm;
    facts.clock.drift_bound_ppm = drift->bound_ppm;
    facts.drift_over_s = static_cast<double>(drift->over_ns) / 1e9;
  }
  for (const auto source :
       {clock::sources::Source::cpu, clock::sources::Source::clock_gettime, clock::sources::Source::gettimeofday}) {
    const auto calibration = source == stamping.source ? stamping : tools.calibrate(source);
    const auto cost = run::loop::source_cost(calibration);
    if (calibration.source == source)
      facts.readings.push_back({std::string(clock::sources::name(source)), cost.read_ns, cost.resolution_ns});
  }
  facts.record_ns = run::loop::record_cost_ns();
  run::loop::OwnCosts costs(loops::idle_loop());
  facts.loop_ns_depth_1 = loop_ns(costs, 1, stamping);
  facts.loop_ns_depth_128 = loop_ns(costs, 128, stamping);
}

}  // namespace

result::Doctor examine_machine() {
  audit::doctor::Facts facts;
  add_clock(facts);
  add_facts_of_machine(facts);
  return audit::doctor::doctor_checks(facts);
}

}  // namespace fathom::session::doctor
