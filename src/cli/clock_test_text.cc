// The readable report of `fathom clock test`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/clock_test_injected.h"
#include "cli/clock_test_report.h"

namespace fathom::cli {
namespace {

constexpr std::size_t kMostPairs = 40;  // of many CPUs, the worst pairs; JSON has all
constexpr std::string_view kRule = "  {:>5} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}  {}\n";

// Ticks in the unit of the report.
struct Unit {
  double ns_per_tick = 0;
  std::string_view name() const { return ns_per_tick > 0 ? "ns" : "ticks"; }
  double of(double ticks) const { return ns_per_tick > 0 ? ticks * ns_per_tick : ticks; }
  std::string up(double ticks) const { return fmt::format("{:.0f}", std::ceil(of(ticks))); }
};

Unit unit_of(const ClockTestReport& r) { return {r.ticks_per_second > 0 ? 1e9 / r.ticks_per_second : 0}; }

// "0-3,6"
std::string ranges(const std::vector<unsigned>& cpus) {
  std::string out;
  for (std::size_t i = 0, last; i < cpus.size(); i = last + 1) {
    for (last = i; last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1;) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (last > i) out += "-" + std::to_string(cpus[last]);
  }
  return out;
}

std::string gap(const clock::Direction& d, Unit unit) {
  return d.hand_overs == 0 ? "-" : fmt::format("{:.0f}", std::floor(unit.of(static_cast<double>(d.smallest_gap))));
}
std::string backward(const clock::Direction& d, Unit unit) {
  return d.largest_backward == 0 ? "-" : unit.up(static_cast<double>(d.largest_backward));
}
std::string detectable(const clock::Pair& p, Unit unit) {
  const auto ticks = p.detectable();
  return ticks ? unit.up(static_cast<double>(*ticks)) : "-";
}

std::string offset(const clock::Pair& p, Unit unit) {
  switch (p.steadiness) {
    case clock::Steadiness::steady:
      return fmt::format("{:+.0f} ± {}", unit.of(p.offset), unit.up(p.offset_bound));
    case clock::Steadiness::drifts:
      return fmt::format("drifts by {:+.0f} to {:+.0f} ppm", p.drift.low_ppm, p.drift.high_ppm);
    case clock::Steadiness::unsteady:
      return "no one offset or drift";
    case clock::Steadiness::unknown:
      break;
  }
  return "never followed each other both ways";
}

// The pairs worth a line: those that disagree first, then those that see least.
std::vector<const clock::Pair*> chosen_pairs(const std::vector<clock::Pair>& pairs) {
  std::vector<const clock::Pair*> chosen;
  chosen.reserve(pairs.size());
  for (const auto& p : pairs) chosen.push_back(&p);
  if (chosen.size() <= kMostPairs) return chosen;
  std::stable_sort(chosen.begin(), chosen.end(), [](const clock::Pair* x, const clock::Pair* y) {
    if (x->mismatches() != y->mismatches()) return x->mismatches() > y->mismatches();
    return x->detectable().value_or(0) > y->detectable().value_or(0);
  });
  chosen.resize(kMostPairs);
  return chosen;
}

std::string pair_table(const clock::Findings& f, Unit unit) {
  if (f.pairs.empty()) return "";
  std::string out =
      fmt::format("\n  {:>11} {:>19} {:>19} {:>19}\n", "CPUs", "hand-overs",
                  fmt::format("smallest gap ({})", unit.name()), fmt::format("back step ({})", unit.name()));
  out += fmt::format(kRule, "a", "b", "a to b", "b to a", "a to b", "b to a", "a to b", "b to a", "detectable",
                     fmt::format("b ahead of a ({})", unit.name()));
  for (const auto* p : chosen_pairs(f.pairs))
    out += fmt::format(kRule, p->a, p->b, p->a_to_b.hand_overs, p->b_to_a.hand_overs, gap(p->a_to_b, unit),
                       gap(p->b_to_a, unit), backward(p->a_to_b, unit), backward(p->b_to_a, unit), detectable(*p, unit),
                       offset(*p, unit));
  if (f.pairs.size() > kMostPairs)
    out += fmt::format("  ({} of {} pairs, the worst; --json has all)\n", kMostPairs, f.pairs.size());
  return out;
}

std::string mismatch_list(const clock::Findings& f) {
  if (f.first_mismatches.empty()) return "";
  std::string out =
      fmt::format("\n  the first {} of {} mismatches, in ticks:\n", f.first_mismatches.size(), f.mismatches);
  for (const auto& m : f.first_mismatches)
    out += fmt::format("    -{}: CPU {} TSC={} SEQ={}, then CPU {} TSC={} SEQ={}\n", m.diff(), m.earlier.cpu,
                       m.earlier.tsc, m.earlier.sequence, m.later.cpu, m.later.tsc, m.later.sequence);
  return out;
}

std::string_view verdict_word(const clock::TestRun& run) {
  constexpr std::string_view words[] = {"NOT TESTED", "PASSED", "FAILED"};
  return words[static_cast<int>(outcome_of(run))];
}

std::string matrix(const ClockTestReport& r, Unit unit) {
  std::string out = fmt::format("\n  {:<8} {:<20} {:<10} {:>10} {:>14} {:>15} {:>9}\n", "barrier", "instruction",
                                "verdict", "mismatches", fmt::format("back step ({})", unit.name()),
                                fmt::format("detectable ({})", unit.name()), "took (ms)");
  for (const auto& b : r.results) {
    const auto& f = b.run.findings;
    out += fmt::format("  {:<8} {:<20} {:<10} {:>10} {:>14} {:>15} {:>9.1f}\n", row(b.barrier).name, b.instruction,
                       verdict_word(b.run), f.mismatches,
                       f.largest_backward == 0 ? "-" : unit.up(static_cast<double>(f.largest_backward)),
                       f.detectable == 0 ? "-" : unit.up(static_cast<double>(f.detectable)),
                       static_cast<double>(b.run.took_ns) / 1e6);
  }
  const bool sound = outcome_of(r.verdict().run) == clock::Outcome::passed;
  const bool others_fail = std::any_of(r.results.begin(), r.results.end(),
                                       [](const auto& b) { return outcome_of(b.run) == clock::Outcome::failed; });
  out += fmt::format("\n  The verdict is that of {}.", row(r.verdict().barrier).name);
  if (sound && others_fail)
    out += " Where another barrier fails, the counter was read before its turn; the counters agree.";
  return out + "\n";
}

std::string fate(const AskedInjection& injection, const ClockTestReport& r) {
  switch (fate_of(injection, r)) {
    case InjectionFate::not_tested:
      return "not tested, the CPUs could not be compared";
    case InjectionFate::alone:
      return "nothing to see, there is no other CPU to compare it with";
    case InjectionFate::within_bound:
      break;
    case InjectionFate::seen:
      return "seen";
    case InjectionFate::seen_between:
      return "seen as a difference from other CPUs made wrong; none was left as it is";
    case InjectionFate::untold:
      return fmt::format("it disagrees, but with this barrier sound counters may too; {} tells",
                         row(clock::kDefaultBarrier).name);
  }
  const std::uint64_t detectable = detectable_of(injection, r);
  if (detectable == 0) return "not seen, from which size on it would have been is not known";
  return fmt::format("within the bound, this test sees offsets from {} {} up",
                     unit_of(r).up(static_cast<double>(detectable)), unit_of(r).name());
}

std::string injected(const ClockTestReport& r) {
  std::string out;
  for (const auto& i : r.options.injections) {
    out += fmt::format("  injected: CPU {} {:+.0f} ns", i.cpu, i.offset_ns);
    if (i.drift_ppm != 0) out += fmt::format(", {:+g} ppm", i.drift_ppm);
    out += fmt::format(": {}\n", fate(i, r));
  }
  return out;
}

constexpr std::string_view kPassed =
    "\n  This proves that a stamp taken on one of these CPUs can be held against one taken on another, within the "
    "bound\n"
    "  in the last column, during the test. It cannot show an offset smaller than the smallest gap (the time that\n"
    "  passing the sequence on takes), nor what happens later, nor CPUs that were not in it.\n";
constexpr std::string_view kPassedAlone =
    "\n  This proves nothing about stamps taken on different CPUs: name two or more with --cpus.\n";
constexpr std::string_view kFailed =
    "\n  Stamps taken on different CPUs cannot be held against each other by this counter. Runs on these CPUs take\n"
    "  clock_gettime unless clocksource=cpu is asked for.\n";
constexpr std::string_view kFailedElsewhere =
    "\n  Whether the counters disagree or this barrier lets them be read before their turn: --barrier=all tells.\n";
constexpr std::string_view kNotTested = "\n  Nothing is proven.\n";

std::string_view meaning(const ClockTestReport& r) {
  switch (outcome_of(r.verdict().run)) {
    case clock::Outcome::passed:
      return r.options.cpus.size() > 1 ? kPassed : kPassedAlone;
    case clock::Outcome::failed:
      return r.verdict().barrier == clock::kDefaultBarrier ? kFailed : kFailedElsewhere;
    case clock::Outcome::not_tested:
      break;
  }
  return kNotTested;
}

}  // namespace

std::string clock_test_text(const ClockTestReport& r) {
  const auto& v = r.verdict();
  const Unit unit = unit_of(r);
  std::string out =
      fmt::format("cross-core clock test: {}\n  {}\n", verdict_word(v.run), words(v.run, r.ticks_per_second));
  out += fmt::format("  barrier {} ({}), CPU{} {}, {} entries on each, {:.1f} ms\n", row(v.barrier).name, v.instruction,
                     r.options.cpus.size() == 1 ? "" : "s", ranges(r.options.cpus), r.options.entries,
                     static_cast<double>(v.run.took_ns) / 1e6);
  out += r.ticks_per_second > 0
             ? fmt::format("  counter at {:.6f} GHz ({})\n", r.ticks_per_second / 1e9, r.calibration)
             : fmt::format("  the counter's rate is not known ({}): times are in ticks\n", r.calibration);
  out += injected(r);
  out += pair_table(v.run.findings, unit) + mismatch_list(v.run.findings);
  if (r.results.size() > 1) out += matrix(r, unit);
  out += meaning(r);
  out += r.stored.empty() ? fmt::format("  verdict not kept: {}\n", r.not_stored)
                          : fmt::format("  verdict kept for this boot in {}\n", r.stored);
  return out;
}

}  // namespace fathom::cli
