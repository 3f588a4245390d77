// Clock sources as a command: what is known of the CPU clock, then every clock measured.
#include "cli/clock_sources.h"

#include <fmt/format.h>

#include "cli/clock_tools.h"
#include "cli/manuals.h"
#include "cli/subcommand.h"
#include "clock/cross_core.h"
#include "options/rows.h"
#include "report/json_writer.h"

namespace fathom::cli {
namespace {

using report::JsonWriter;

constexpr int kFormatVersion = 1;
constexpr options::Row kRows[] = {options::noted({"json", "", "print JSON"})};
constexpr options::Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{"fathom clock sources", "[--json]",
                         "Measures every clock that this machine has, and says which one a run will use and why.\n",
                         kOptions};

ClockSourcesReport look() {
  const auto tools = clock_tools(job::ClockCheck::cached);
  ClockSourcesReport r;
  r.fitness = tools.fitness(clock::usable_cpus());
  r.calibration = tools.calibrate(clock::Source::cpu);
  r.choice = clock::choose(std::nullopt, r.fitness);
  if (!r.calibrated() && r.choice.source == clock::Source::cpu)
    r.choice = {clock::Source::clock_gettime, false, true, r.calibration.notes.back()};
  r.measures = clock::measure_sources(r.calibration.conversion);
  return r;
}

std::string what_it_is(const clock::Fitness& f) {
  return fmt::format("{}, kernel clocksource {}", f.invariant ? "invariant" : "not invariant",
                     f.kernel_clocksource.empty() ? "unknown" : f.kernel_clocksource);
}

// Without a rate of the CPU clock there are no nanoseconds, only its ticks.
std::string number(double value, bool known = true) { return known ? fmt::format("{:.1f}", value) : "-"; }

std::string source_row(const ClockSourcesReport& r, const clock::SourceMeasure& m) {
  const bool rated = r.calibrated(), steps_known = rated || m.source != clock::Source::cpu;
  return fmt::format("{} {:<35} {:>6} {:>6} {:>6}   {:>6} {:>6} {:>6}   {:>8} {:>8} {:>6}\n", r.chosen(m) ? '*' : ' ',
                     m.name, number(m.cost_ns.min, rated), number(m.cost_ns.p50, rated), number(m.cost_ns.p99, rated),
                     number(m.cost_ticks.min), number(m.cost_ticks.p50), number(m.cost_ticks.p99),
                     number(m.smallest_step_ns, steps_known), number(m.resolution_ns, steps_known), m.backward_steps);
}

void json_cost(JsonWriter& w, std::string_view key, const clock::ReadCost& cost) {
  w.begin_object(key);
  w.field("min", cost.min);
  w.field("p50", cost.p50);
  w.field("p99", cost.p99);
  w.end_object();
}

void json_source(JsonWriter& w, const ClockSourcesReport& r, const clock::SourceMeasure& m) {
  w.begin_object();
  w.field("name", m.name);
  w.field("clocksource", clock::name(m.source));
  w.field("for_runs", m.for_runs);
  w.field("chosen", r.chosen(m));
  if (r.calibrated()) json_cost(w, "cost_ns", m.cost_ns);
  json_cost(w, "cost_ticks", m.cost_ticks);
  if (r.calibrated() || m.source != clock::Source::cpu) {
    w.field("smallest_step_ns", m.smallest_step_ns);
    w.field("resolution_ns", m.resolution_ns);
  }
  w.field("smallest_step_ticks", m.smallest_step_ticks);
  w.field("resolution_ticks", m.resolution_ticks);
  w.field("reads", m.reads);
  w.field("backward_steps", m.backward_steps);
  w.end_object();
}

void json_cpu_clock(JsonWriter& w, const ClockSourcesReport& r) {
  w.begin_object("cpu_clock");
  w.field("invariant", r.fitness.invariant);
  w.field("kernel_clocksource", r.fitness.kernel_clocksource);
  if (r.calibrated()) {
    w.field("ticks_per_second", r.calibration.ticks_per_second);
    w.field("error_ppm", r.calibration.error_ppm);
    w.field("calibration", r.calibration.method);
  }
  w.begin_array("calibration_notes");
  for (const auto& note : r.calibration.notes) w.element(note);
  w.end_array();
  w.field("test_outcome", clock::name(r.fitness.test.outcome));
  w.field("test_kind", clock::name(r.fitness.test.kind));
  w.field("test_cached", r.fitness.test.cached);
  w.field("test_words", r.fitness.test.words);
  if (r.fitness.drift) {
    w.field("drift_ppm", r.fitness.drift->drift_ppm);
    w.field("drift_bound_ppm", r.fitness.drift->bound_ppm);
    w.field("drift_over_s", static_cast<double>(r.fitness.drift->over_ns) / 1e9);
  }
  w.end_object();
}

}  // namespace

std::string clock_sources_text(const ClockSourcesReport& r) {
  const auto& c = r.calibration;
  const auto& test = r.fitness.test;
  std::string out = "CPU clock: " + what_it_is(r.fitness) + "\n";
  out += r.calibrated() ? fmt::format("           {:.6f} MHz, within {:.1f} ppm ({})\n", c.ticks_per_second / 1e6,
                                      c.error_ppm, c.method)
                        : "           could not be calibrated\n";
  for (const auto& note : c.notes) out += "           " + note + "\n";
  out += fmt::format("           cross-core test: {} ({}{}){}{}\n", clock::name(test.outcome), clock::name(test.kind),
                     test.cached ? ", earlier in this boot" : "", test.words.empty() ? "" : ": ", test.words);
  if (r.fitness.drift)
    out += fmt::format("           drift: {:+.2g} ppm (± {:.2g}) over {:.3g} s, the best known of this boot\n",
                       r.fitness.drift->drift_ppm, r.fitness.drift->bound_ppm,
                       static_cast<double>(r.fitness.drift->over_ns) / 1e9);
  out += fmt::format("A run uses {}: {}\n\n", clock::name(r.choice.source), r.choice.reason);
  out += fmt::format("  {:<35} {:^20}   {:^20}   {:>8} {:>8} {:>6}\n", "", "one read, ns", "in CPU clock ticks",
                     "smallest", "resolu-", "steps");
  out += fmt::format("  {:<35} {:>6} {:>6} {:>6}   {:>6} {:>6} {:>6}   {:>8} {:>8} {:>6}\n", "clock", "min", "p50",
                     "p99", "min", "p50", "p99", "step ns", "tion ns", "back");
  for (const auto& m : r.measures) out += source_row(r, m);
  return out + "* what a run uses unless clocksource= asks for another\n";
}

std::string clock_sources_json(const ClockSourcesReport& r) {
  JsonWriter w;
  w.begin_object();
  w.field("format", "fathom clock sources");
  w.field("format_version", kFormatVersion);
  json_cpu_clock(w, r);
  w.begin_object("choice");
  w.field("clocksource", clock::name(r.choice.source));
  w.field("fit", r.choice.fit);
  w.field("fell_back", r.choice.fell_back);
  w.field("reason", r.choice.reason);
  w.end_object();
  w.begin_array("sources");
  for (const auto& m : r.measures) json_source(w, r, m);
  w.end_array();
  w.end_object();
  return w.take();
}

const options::Manual& clock_sources_manual() { return kManual; }

int clock_sources_command(std::span<const std::string> args) {
  return with_options(kManual, args, [](const Given& given) -> base::Expected<std::string> {
    if (!given.words.empty()) return usage_error("`" + given.words[0] + "`: clock sources takes no words", "", "");
    const auto report = look();
    return given.has("json") ? clock_sources_json(report) : clock_sources_text(report);
  });
}

}  // namespace fathom::cli
