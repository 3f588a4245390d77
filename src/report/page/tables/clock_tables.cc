// Times are in ticks if the rate of the counter is unknown.
#include "report/page/tables/clock_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "base/system/cpu_list.h"
#include "base/text/drift_text.h"
#include "report/clock/clock_words.h"
#include "report/page/html.h"
#include "report/page/tables/blocks.h"
#include "report/page/units.h"

namespace fathom::report::page::tables {
namespace {

using result::BarrierTest;
using result::ClockSources;
using result::ClockTest;
using result::CpuPair;
using result::HandOvers;
using result::Steadiness;
using result::TestOutcome;

std::string ticks_text(const ClockTest& test, double ticks) {
  return test.ticks_per_second > 0 ? quantity(test.ns_of(ticks), "ns") : fmt::format("{:.0f} ticks", ticks);
}

// A text of several lines as one.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space) out += c;
    if (space && !out.empty() && out.back() != ' ') out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

Cell verdict_cell(const BarrierTest& test) {
  constexpr Tone kTones[] = {Tone::unknown, Tone::good, Tone::bad};
  return toned(kTones[static_cast<std::size_t>(test.verdict)], name(test.verdict));
}

std::string offset_of(const ClockTest& test, const CpuPair& pair) {
  const auto ppm = [](const std::optional<double>& value) { return value ? fmt::format("{:+.0f} ppm", *value) : "?"; };
  switch (pair.steadiness) {
    case Steadiness::steady:
      return fmt::format("{} ± {}", ticks_text(test, pair.offset_ticks.value_or(0)),
                         ticks_text(test, pair.offset_bound_ticks.value_or(0)));
    case Steadiness::drifts:
      return fmt::format("drifts by {} to {}", ppm(pair.drift_low_ppm), ppm(pair.drift_high_ppm));
    case Steadiness::unsteady:
      return "neither constant offset nor drift";
    case Steadiness::unknown:
      break;
  }
  return "no hand-overs in both directions";
}

std::string pairs_table(const ClockTest& test) {
  Table table("b ahead of a", {"pair", "#hand-overs a to b", "#b to a", "#smallest gap a to b", "#b to a",
                               "#mismatches", "#detectable", "#offset"});
  const auto gap_of = [&](const HandOvers& over) {
    return over.hand_overs == 0 ? "-" : ticks_text(test, static_cast<double>(over.smallest_gap_ticks));
  };
  for (const auto& pair : test.decisive().pairs)
    table.row({fmt::format("CPUs {} and {}", pair.a, pair.b), fmt::format("{}", pair.a_to_b.hand_overs),
               fmt::format("{}", pair.b_to_a.hand_overs), gap_of(pair.a_to_b), gap_of(pair.b_to_a),
               fmt::format("{}", pair.mismatches()),
               pair.detectable_ticks ? ticks_text(test, static_cast<double>(*pair.detectable_ticks)) : "-",
               offset_of(test, pair)});
  return table.html();
}

std::string barriers_table(const ClockTest& test) {
  Table table("", {"barrier", "instruction", "verdict", "#mismatches", "#largest back step", "#detectable", "#took"});
  const auto or_none = [&](std::uint64_t ticks) {
    return ticks == 0 ? std::string("-") : ticks_text(test, static_cast<double>(ticks));
  };
  for (const auto& one : test.results)
    table.cells({{one.barrier + (one.barrier == test.barrier ? " (decides)" : "")},
                 {one.instruction},
                 verdict_cell(one),
                 {fmt::format("{}", one.mismatches)},
                 {or_none(one.largest_backward_ticks)},
                 {or_none(one.detectable_ticks)},
                 {quantity(static_cast<double>(one.took_ns), "ns")}});
  return table.html();
}

std::string injected_table(const ClockTest& test) {
  Table table("", {"CPU", "#offset", "#drift", "outcome"});
  for (const auto& one : test.injected)
    table.row({fmt::format("{}", one.cpu), quantity(one.offset_ns, "ns"), fmt::format("{:+g} ppm", one.drift_ppm),
               clock::fate_text(one, test)});
  return table.html();
}

std::string mismatches_table(const BarrierTest& test) {
  Table table(fmt::format("The first {} of {}, in ticks", test.first_mismatches.size(), test.mismatches),
              {"back by", "#CPU", "#counter", "#place", "#then CPU", "#counter", "#place"});
  for (const auto& one : test.first_mismatches)
    table.row({fmt::format("{}", one.diff_ticks()), fmt::format("{}", one.earlier.cpu),
               fmt::format("{}", one.earlier.tsc), fmt::format("{}", one.earlier.sequence),
               fmt::format("{}", one.later.cpu), fmt::format("{}", one.later.tsc),
               fmt::format("{}", one.later.sequence)});
  return table.html();
}

std::string first_of_test(const ClockTest& test) {
  const auto& decisive = test.decisive();
  const auto cell = verdict_cell(decisive);
  std::string out = fmt::format("<p class=\"badge {}\"><span aria-hidden=\"true\">{}</span> {}</p>\n", cell.tone,
                                cell.icon, clock::verdict_word(decisive));
  if (!decisive.text.empty()) out += paragraph(decisive.text);
  out += fmt::format(
      "<p class=\"measured\">{}</p>\n",
      escaped(fmt::format("barrier {} ({}), CPU{} {}, {} entries on each, {}", test.barrier, decisive.instruction,
                          test.cpus.size() == 1 ? "" : "s", base::system::cpu_list_text(test.cpus),
                          test.entries_per_cpu, quantity(static_cast<double>(decisive.took_ns), "ns"))));
  headline::NumbersOf numbers{"clocks of the CPUs", {{"mismatches", fmt::format("{}", decisive.mismatches)}}, ""};
  if (decisive.largest_backward_ticks > 0)
    numbers.numbers.push_back(
        {"largest back step", ticks_text(test, static_cast<double>(decisive.largest_backward_ticks))});
  if (decisive.detectable_ticks > 0)
    numbers.numbers.push_back({"smallest detectable offset",  //
                               ticks_text(test, static_cast<double>(decisive.detectable_ticks))});
  out += large_html({numbers}) + paragraph(on_one_line(clock::meaning_text(test)));
  out += paragraph(test.stored.empty() ? fmt::format("The verdict was not stored: {}", test.not_stored)
                                       : fmt::format("The verdict is stored for this boot in {}.", test.stored));
  return first(std::move(out));
}

std::string cost_text(const std::optional<result::ReadCost>& ns, const result::ReadCost& ticks,
                      double result::ReadCost::*member) {
  return ns ? quantity((*ns).*member, "ns") : fmt::format("{:.1f} ticks", ticks.*member);
}

std::string sources_table(const ClockSources& all) {
  Table table("", {"clock", "clocksource=", "used", "#read: least", "#median", "#p99", "#smallest step", "#resolution",
                   "#steps back"});
  const auto or_dash = [](const std::optional<double>& ns) { return ns ? quantity(*ns, "ns") : std::string("-"); };
  for (const auto& source : all.sources) {
    const auto cost = [&](double result::ReadCost::*member) {
      return cost_text(source.cost_ns, source.cost_ticks, member);
    };
    table.cells({{source.name},
                 {source.for_runs ? source.clocksource : "-"},
                 source.chosen ? toned(Tone::good, "yes") : Cell{"no"},
                 {cost(&result::ReadCost::min)},
                 {cost(&result::ReadCost::p50)},
                 {cost(&result::ReadCost::p99)},
                 {or_dash(source.smallest_step_ns)},
                 {or_dash(source.resolution_ns)},
                 {fmt::format("{}", source.backward_steps)}});
  }
  return table.html();
}

std::string cpu_clock_table(const ClockSources& all) {
  Table table("", {"fact", "value"});
  table.row({"rate", all.rate ? fmt::format("{:.6f} MHz, within {:.1f} ppm ({})", all.rate->ticks_per_second / 1e6,
                                            all.rate->error_ppm, all.rate->calibration)
                              : std::string("could not be calibrated")});
  table.row({"constant rate", all.invariant ? "yes" : "no"});
  table.row({"clock source of the kernel", all.kernel_clocksource.empty() ? "unknown" : all.kernel_clocksource});
  table.row({"cross-core test", fmt::format("{} ({}{}){}{}", all.test_outcome, all.test_kind,
                                            all.test_cached ? ", earlier in this boot" : "",
                                            all.test_words.empty() ? "" : ": ", all.test_words)});
  if (all.drift)
    table.row({"drift", fmt::format("{}, measured by an earlier run of this boot ({})",
                                    base::text::drift_text(all.drift->ppm, all.drift->bound_ppm),
                                    quantity(all.drift->over_s * 1e9, "ns"))});
  return table.html() + list_html(all.calibration_notes);
}

}  // namespace

std::string clock_test_section(const ClockTest& test, std::size_t number) {
  Sections sections(number);
  const auto pairs = pairs_table(test);
  if (!pairs.empty()) sections.add("Pairs of CPUs", figures(number) + pairs);
  sections.add("Mismatches", mismatches_table(test.decisive()));
  sections.add("Injected errors", injected_table(test));
  sections.add("Barriers", barriers_table(test));
  sections.add("Counter",
               paragraph(test.ticks_per_second > 0
                             ? fmt::format("{:.6f} GHz ({})", test.ticks_per_second / 1e9, test.calibration)
                             : fmt::format("The rate is unknown ({}): times are in ticks.", test.calibration)));
  return first_of_test(test) + sections.html() + text_html(test);
}

std::string clock_sources_section(const ClockSources& all, std::size_t number) {
  const auto words = fmt::format("A run uses {}", all.clocksource);
  std::string out = badge(all.fit && !all.fell_back ? Tone::good : Tone::fair, words) + paragraph(all.reason);
  Sections sections(number);
  sections.add("Clocks", figures(number) + sources_table(all));
  sections.add("CPU clock", cpu_clock_table(all));
  return first(std::move(out)) + sections.html() + text_html(all);
}

}  // namespace fathom::report::page::tables
