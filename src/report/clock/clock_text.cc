// The text reports of `fathom clock sources` and `fathom clock test`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/system/cpu_list.h"
#include "base/text/drift_text.h"
#include "report/clock/clock_words.h"
#include "report/formats.h"

namespace fathom::report {

// `fathom clock sources`: facts of the CPU clock, then one row per clock.

namespace {

// Without a rate of the CPU clock, costs are known only in ticks.
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
    out += fmt::format("           drift: {}, measured by an earlier run of this boot ({:.3g} s)\n",
                       base::text::drift_text(all.drift->ppm, all.drift->bound_ppm), all.drift->over_s);
  out += fmt::format("A run uses {}: {}\n\n", all.clocksource, all.reason);
  out += fmt::format("  {:<35} {:^20}   {:^20}   {:>8} {:>8} {:>6}\n", "", "one read, ns", "in CPU clock ticks",
                     "smallest", "resolu-", "steps");
  out += fmt::format("  {:<35} {:>6} {:>6} {:>6}   {:>6} {:>6} {:>6}   {:>8} {:>8} {:>6}\n", "clock", "min", "p50",
                     "p99", "min", "p50", "p99", "step ns", "tion ns", "back");
  for (const auto& source : all.sources) out += source_row(source);
  return out + "* used by a run unless clocksource= selects another\n";
}

// The text report of `fathom clock test`.

namespace {

using result::BarrierTest, result::ClockTest, result::CpuPair, result::HandOvers, result::InjectedClock,
    result::InjectionFate, result::Steadiness, result::TestOutcome;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostPairs = 40;  // if there are more, the worst ones; JSON has all
constexpr std::string_view kPairRow = "  {:>5} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}  {}\n";

// Converts ticks to the unit of the report.
struct Unit {
  double ns_per_tick = 0;
  std::string_view name() const { return ns_per_tick > 0 ? "ns" : "ticks"; }
  double of(double ticks) const { return ns_per_tick > 0 ? ticks * ns_per_tick : ticks; }
  std::string up(double ticks) const { return fmt::format("{:.0f}", std::ceil(of(ticks))); }
};

Unit unit_of(const ClockTest& r) { return {r.ticks_per_second > 0 ? 1e9 / r.ticks_per_second : 0}; }

std::string gap(const HandOvers& d, Unit unit) {
  return d.hand_overs == 0 ? "-"
                           : fmt::format("{:.0f}", std::floor(unit.of(static_cast<double>(d.smallest_gap_ticks))));
}
std::string backward(const HandOvers& d, Unit unit) {
  return d.largest_backward_ticks == 0 ? "-" : unit.up(static_cast<double>(d.largest_backward_ticks));
}
std::string detectable(const CpuPair& p, Unit unit) {
  return p.detectable_ticks ? unit.up(static_cast<double>(*p.detectable_ticks)) : "-";
}

std::string offset(const CpuPair& p, Unit unit) {
  switch (p.steadiness) {
    case Steadiness::steady:
      return fmt::format("{:+.0f} ± {}", unit.of(p.offset_ticks.value_or(0)),
                         unit.up(p.offset_bound_ticks.value_or(0)));
    case Steadiness::drifts:
      return fmt::format("drifts by {:+.0f} to {:+.0f} ppm", p.drift_low_ppm.value_or(-kUnbounded),
                         p.drift_high_ppm.value_or(kUnbounded));
    case Steadiness::unsteady:
      return "neither constant offset nor drift";
    case Steadiness::unknown:
      break;
  }
  return "no hand-overs in both directions";
}

// The pairs to print: first those with mismatches, then those that detect only the largest differences.
std::vector<const CpuPair*> chosen_pairs(const std::vector<CpuPair>& pairs) {
  std::vector<const CpuPair*> chosen;
  chosen.reserve(pairs.size());
  for (const auto& p : pairs) chosen.push_back(&p);
  if (chosen.size() <= kMostPairs) return chosen;
  std::stable_sort(chosen.begin(), chosen.end(), [](const CpuPair* x, const CpuPair* y) {
    if (x->mismatches() != y->mismatches()) return x->mismatches() > y->mismatches();
    return x->detectable_ticks.value_or(0) > y->detectable_ticks.value_or(0);
  });
  chosen.resize(kMostPairs);
  return chosen;
}

std::string pair_table(const BarrierTest& f, Unit unit) {
  if (f.pairs.empty()) return "";
  std::string out =
      fmt::format("\n  {:>11} {:>19} {:>19} {:>19}\n", "CPUs", "hand-overs",
                  fmt::format("smallest gap ({})", unit.name()), fmt::format("back step ({})", unit.name()));
  out += fmt::format(kPairRow, "a", "b", "a to b", "b to a", "a to b", "b to a", "a to b", "b to a", "detectable",
                     fmt::format("b ahead of a ({})", unit.name()));
  for (const auto* p : chosen_pairs(f.pairs))
    out += fmt::format(kPairRow, p->a, p->b, p->a_to_b.hand_overs, p->b_to_a.hand_overs, gap(p->a_to_b, unit),
                       gap(p->b_to_a, unit), backward(p->a_to_b, unit), backward(p->b_to_a, unit), detectable(*p, unit),
                       offset(*p, unit));
  if (f.pairs.size() > kMostPairs)
    out += fmt::format("  (the worst {} of {} pairs; --json prints all)\n", kMostPairs, f.pairs.size());
  return out;
}

std::string mismatch_list(const BarrierTest& f) {
  if (f.first_mismatches.empty()) return "";
  std::string out =
      fmt::format("\n  the first {} of {} mismatches, in ticks:\n", f.first_mismatches.size(), f.mismatches);
  for (const auto& m : f.first_mismatches)
    out += fmt::format("    -{}: CPU {} TSC={} SEQ={}, then CPU {} TSC={} SEQ={}\n", m.diff_ticks(), m.earlier.cpu,
                       m.earlier.tsc, m.earlier.sequence, m.later.cpu, m.later.tsc, m.later.sequence);
  return out;
}

std::string matrix(const ClockTest& r, Unit unit) {
  std::string out = fmt::format("\n  {:<8} {:<20} {:<10} {:>10} {:>14} {:>15} {:>9}\n", "barrier", "instruction",
                                "verdict", "mismatches", fmt::format("back step ({})", unit.name()),
                                fmt::format("detectable ({})", unit.name()), "took (ms)");
  for (const auto& b : r.results) {
    out += fmt::format("  {:<8} {:<20} {:<10} {:>10} {:>14} {:>15} {:>9.1f}\n", b.barrier, b.instruction,
                       clock::verdict_word(b), b.mismatches,
                       b.largest_backward_ticks == 0 ? "-" : unit.up(static_cast<double>(b.largest_backward_ticks)),
                       b.detectable_ticks == 0 ? "-" : unit.up(static_cast<double>(b.detectable_ticks)),
                       static_cast<double>(b.took_ns) / 1e6);
  }
  const bool sound = r.decisive().verdict == TestOutcome::passed;
  const bool others_fail =
      std::any_of(r.results.begin(), r.results.end(), [](const auto& b) { return b.verdict == TestOutcome::failed; });
  out += fmt::format("\n  The verdict is that of {}.", r.barrier);
  if (sound && others_fail) out += " If another barrier fails, the counter was read too early; the counters agree.";
  return out + "\n";
}

std::string injected(const ClockTest& r) {
  std::string out;
  for (const auto& i : r.injected) {
    out += fmt::format("  injected: CPU {} {:+.0f} ns", i.cpu, i.offset_ns);
    if (i.drift_ppm != 0) out += fmt::format(", {:+g} ppm", i.drift_ppm);
    out += fmt::format(": {}\n", clock::fate_text(i, r));
  }
  return out;
}

constexpr std::string_view kPassed =
    "\n  This proves that timestamps of two of these CPUs can be compared, within the "
    "bound\n"
    "  in the last column, during the test. It cannot show an offset smaller than the smallest gap (the time that\n"
    "  passing the sequence on takes), nor later changes, nor CPUs that were not tested.\n";
constexpr std::string_view kPassedAlone =
    "\n  This proves nothing about timestamps of different CPUs: name two or more with --cpus.\n";
constexpr std::string_view kFailed =
    "\n  Timestamps of different CPUs cannot be compared by this counter. Runs on these CPUs use\n"
    "  clock_gettime unless clocksource=cpu is set.\n";
constexpr std::string_view kFailedElsewhere =
    "\n  Either the counters disagree, or this barrier lets them be read too early: test with --barrier=all.\n";
constexpr std::string_view kNotTested = "\n  Nothing is proven.\n";

}  // namespace

namespace clock {

std::string_view verdict_word(const BarrierTest& test) {
  constexpr std::string_view words[] = {"NOT TESTED", "PASSED", "FAILED"};
  return words[static_cast<int>(test.verdict)];
}

std::string fate_text(const InjectedClock& injection, const ClockTest& r) {
  switch (injection.outcome) {
    case InjectionFate::not_tested:
      return "not tested, the CPUs could not be compared";
    case InjectionFate::alone:
      return "not detectable: no other CPU to compare with";
    case InjectionFate::within_bound:
      break;
    case InjectionFate::seen:
      return "seen";
    case InjectionFate::seen_between:
      return "detected as a difference from other CPUs with injections; no CPU was left unchanged";
    case InjectionFate::untold:
      return fmt::format("disagrees, but with this barrier correct counters may disagree too; test with {}",
                         r.barrier_of_runs);
  }
  if (injection.detectable_ticks == 0) return "not detected; the smallest detectable offset is unknown";
  return fmt::format("within the bound: this test detects offsets of {} {} or more",
                     unit_of(r).up(static_cast<double>(injection.detectable_ticks)), unit_of(r).name());
}

std::string_view meaning_text(const ClockTest& r) {
  switch (r.decisive().verdict) {
    case TestOutcome::passed:
      return r.cpus.size() > 1 ? kPassed : kPassedAlone;
    case TestOutcome::failed:
      return r.barrier == r.barrier_of_runs ? kFailed : kFailedElsewhere;
    case TestOutcome::not_tested:
      break;
  }
  return kNotTested;
}

}  // namespace clock

std::string clock_test_text(const ClockTest& r) {
  const auto& v = r.decisive();
  const Unit unit = unit_of(r);
  std::string out = fmt::format("cross-core clock test: {}\n  {}\n", clock::verdict_word(v), v.text);
  out += fmt::format("  barrier {} ({}), CPU{} {}, {} entries on each, {:.1f} ms\n", r.barrier, v.instruction,
                     r.cpus.size() == 1 ? "" : "s", base::system::cpu_list_text(r.cpus), r.entries_per_cpu,
                     static_cast<double>(v.took_ns) / 1e6);
  out += r.ticks_per_second > 0
             ? fmt::format("  counter at {:.6f} GHz ({})\n", r.ticks_per_second / 1e9, r.calibration)
             : fmt::format("  the rate of the counter is unknown ({}): times are in ticks\n", r.calibration);
  out += injected(r);
  out += pair_table(v, unit) + mismatch_list(v);
  if (r.results.size() > 1) out += matrix(r, unit);
  out += clock::meaning_text(r);
  out += r.stored.empty() ? fmt::format("  verdict not stored: {}\n", r.not_stored)
                          : fmt::format("  verdict stored for this boot in {}\n", r.stored);
  return out;
}

}  // namespace fathom::report
