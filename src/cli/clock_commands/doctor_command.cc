// Gathers the facts, which takes some tens of milliseconds, and prints the checks. A doubt is no failure: the exit
// status is 0.
#include "cli/clock_commands/doctor_command.h"

#include "audit/doctor.h"
#include "cli/help.h"
#include "cli/manuals.h"
#include "cli/subcommand.h"
#include "clock/cores/cross_core.h"
#include "clock/verdict_cache.h"
#include "loops/table.h"
#include "options/rows.h"
#include "report/document.h"
#include "report/formats.h"
#include "run/loop/own_cost.h"
#include "session/clock_tools.h"

namespace fathom::cli::clock_commands {
namespace {

constexpr options::Row kRows[] = {options::noted({"json", "", "print JSON"})};
constexpr options::Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{
    "fathom doctor", "[--json]",
    "What this machine lets fathom measure: the state of its clock, and what fathom itself costs on it.\n"
    "One line a check: `ok` or `doubt`, with what to do about a doubt.\n",
    kOptions};

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
audit::DoctorFacts gather() {
  const std::vector<run::files::Plan> plans(1);
  const auto tools = session::clock_tools(job::ClockCheck::cached);
  const run::process::RunClocks clocks(plans, tools, clock::cores::usable_cpus());
  const auto& stamping = clocks.calibration(plans[0].job);
  audit::DoctorFacts facts;
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
  return facts;
}

}  // namespace

const options::Manual& doctor_manual() { return kManual; }

int doctor_command(std::span<const std::string> args) {
  return with_options(kManual, args, [](const Given& given) -> base::Expected<std::string> {
    if (!given.arguments.empty()) return usage_error("`" + given.arguments[0] + "`: doctor takes no words", "", "");
    const auto found = report::as_stored(result::Doctor{version_line(), audit::doctor_checks(gather())});
    return given.has("json") ? report::doctor_json(found) : report::doctor_text(found);
  });
}

}  // namespace fathom::cli::clock_commands
