// `fathom clock sources`: what is known of the CPU clock, then a row a clock.
#include <fmt/format.h>

#include "report/formats.h"

namespace fathom::report {
namespace {

// Without a rate of the CPU clock there are no nanoseconds, only its ticks.
std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.1f}", *value) : "-"; }

std::string source_row(const result::ClockSource& s) {
  const auto of = [&](double result::ReadCost::*member) {
    return number(s.cost_ns ? std::optional((*s.cost_ns).*member) : std::nullopt);
  };
  return fmt::format("{} {:<35} {:>6} {:>6} {:>6}   {:>6} {:>6} {:>6}   {:>8} {:>8} {:>6}\n", s.chosen ? '*' : ' ',
                     s.name, of(&result::ReadCost::min), of(&result::ReadCost::p50), of(&result::ReadCost::p99),
                     number(s.cost_ticks.min), number(s.cost_ticks.p50), number(s.cost_ticks.p99),
                     number(s.smallest_step_ns), number(s.resolution_ns), s.backward_steps);
}

}  // namespace

std::string clock_sources_text(const result::ClockSources& all) {
  std::string out = fmt::format("CPU clock: {}, kernel clocksource {}\n", all.invariant ? "invariant" : "not invariant",
                                all.kernel_clocksource.empty() ? "unknown" : all.kernel_clocksource);
  out += all.rate ? fmt::format("           {:.6f} MHz, within {:.1f} ppm ({})\n", all.rate->ticks_per_second / 1e6,
                                all.rate->error_ppm, all.rate->calibration)
                  : "           could not be calibrated\n";
  for (const auto& note : all.calibration_notes) out += "           " + note + "\n";
  out +=
      fmt::format("           cross-core test: {} ({}{}){}{}\n", all.test_outcome, all.test_kind,
                  all.test_cached ? ", earlier in this boot" : "", all.test_words.empty() ? "" : ": ", all.test_words);
  if (all.drift)
    out += fmt::format("           drift: {:+.2g} ppm (± {:.2g}) over {:.3g} s, the best known of this boot\n",
                       all.drift->ppm, all.drift->bound_ppm, all.drift->over_s);
  out += fmt::format("A run uses {}: {}\n\n", all.clocksource, all.reason);
  out += fmt::format("  {:<35} {:^20}   {:^20}   {:>8} {:>8} {:>6}\n", "", "one read, ns", "in CPU clock ticks",
                     "smallest", "resolu-", "steps");
  out += fmt::format("  {:<35} {:>6} {:>6} {:>6}   {:>6} {:>6} {:>6}   {:>8} {:>8} {:>6}\n", "clock", "min", "p50",
                     "p99", "min", "p50", "p99", "step ns", "tion ns", "back");
  for (const auto& source : all.sources) out += source_row(source);
  return out + "* what a run uses unless clocksource= asks for another\n";
}

}  // namespace fathom::report
