// Facts of the CPU clock, then a measurement of every clock. The result is filled value by value.
#include "session/clocks/clock_sources.h"

#include <optional>

#include "clock/cores/cross_core.h"
#include "session/clock_tools.h"

namespace fathom::session::clocks {
namespace {

result::ReadCost cost_of(const clock::sources::ReadCost& cost) { return {cost.min, cost.p50, cost.p99}; }

result::ClockSource source_of(const FoundClocks& r, const clock::sources::SourceMeasure& m) {
  result::ClockSource source;
  source.name = m.name;
  source.clocksource = clock::sources::name(m.source);
  source.for_runs = m.for_runs;
  source.chosen = r.chosen(m);
  if (r.calibrated()) source.cost_ns = cost_of(m.cost_ns);
  source.cost_ticks = cost_of(m.cost_ticks);
  if (r.calibrated() || m.source != clock::sources::Source::cpu)
    source.smallest_step_ns = m.smallest_step_ns, source.resolution_ns = m.resolution_ns;
  source.smallest_step_ticks = m.smallest_step_ticks;
  source.resolution_ticks = m.resolution_ticks;
  source.reads = m.reads;
  source.backward_steps = m.backward_steps;
  return source;
}

}  // namespace

FoundClocks find_clocks() {
  const auto tools = session::clock_tools(job::ClockCheck::cached);
  FoundClocks r;
  r.fitness = tools.fitness(clock::cores::usable_cpus());
  r.calibration = tools.calibrate(clock::sources::Source::cpu);
  r.choice = clock::choose(std::nullopt, r.fitness);
  if (!r.calibrated() && r.choice.source == clock::sources::Source::cpu)
    r.choice = {clock::sources::Source::clock_gettime, false, true, r.calibration.notes.back()};
  r.measures = clock::sources::measure_sources(r.calibration.conversion);
  return r;
}

result::ClockSources clock_sources(const FoundClocks& r) {
  const auto& [fitness, calibration, choice, measures] = r;
  result::ClockSources all;
  all.invariant = fitness.invariant;
  all.kernel_clocksource = fitness.kernel.clocksource;
  if (r.calibrated()) all.rate = {calibration.ticks_per_second, calibration.error_ppm, calibration.method};
  all.calibration_notes = calibration.notes;
  all.test_outcome = clock::name(fitness.test.outcome);
  all.test_kind = clock::name(fitness.test.kind);
  all.test_cached = fitness.test.cached;
  all.test_words = fitness.test.text;
  if (const auto& drift = fitness.drift)
    all.drift = {drift->drift_ppm, drift->bound_ppm, static_cast<double>(drift->over_ns) / 1e9};
  all.clocksource = clock::sources::name(choice.source);
  all.fit = choice.fit;
  all.fell_back = choice.fell_back;
  all.reason = choice.reason;
  for (const auto& measure : measures) all.sources.push_back(source_of(r, measure));
  return all;
}

}  // namespace fathom::session::clocks
