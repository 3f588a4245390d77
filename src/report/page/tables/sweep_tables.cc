// The sentences are those of the text (report/sweep/sweep_words.h).
#include "report/page/tables/sweep_tables.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "report/page/html.h"
#include "report/page/tables/blocks.h"
#include "report/page/units.h"
#include "report/sweep/sweep_words.h"

namespace fathom::report::page::tables {
namespace {

using result::Sweep;
using result::SweptCurve;
using result::SweptNumber;
using result::SweptPoint;

std::string number_text(const SweptNumber* number) {
  return number == nullptr ? "-" : quantity(number->typical, number->unit);
}

std::string range_of(const SweptNumber* number) {
  if (number == nullptr) return "-";
  if (number->values.size() < 2) return "one run";
  return fmt::format("{} to {}", quantity(number->low, number->unit), quantity(number->high, number->unit));
}

Cell mark_cell(const SweptPoint& point, const SweptCurve& curve) {
  if (point.runs == 0) return toned(Tone::bad, "no numbers: " + point.failure);
  const auto mark = sweep::mark_of(point, curve);
  if (mark == "misses") return toned(Tone::bad, mark);
  return mark.empty() ? Cell{""} : toned(Tone::good, mark);
}

std::string points_table(const Sweep& sweep, const SweptCurve& curve) {
  const auto names = sweep::others(sweep);
  const auto load = "#" + (sweep.load.empty() ? std::string("setting") : sweep.load);
  const auto latency = "#" + sweep.latency, second = "#" + names[0], third = "#" + names[1];
  Table table("", {load, "#IOPS", "#achieved", latency, "#95 % interval", second, third, "#runs", "mark"});
  std::size_t hidden = 0;
  for (const auto& point : curve.points) {
    if (!sweep::is_shown(point, curve)) {
      ++hidden;
      continue;
    }
    const auto* number = sweep::number_of(point, sweep.latency);
    table.cells({{sweep::label_of(sweep, point)},
                 {number_text(sweep::number_of(point, "iops"))},
                 {point.delivered_percent ? percent(*point.delivered_percent) : "-"},
                 {number_text(number)},
                 {range_of(number)},
                 {number_text(sweep::number_of(point, names[0]))},
                 {number_text(sweep::number_of(point, names[1]))},
                 {fmt::format("{}", point.runs)},
                 mark_cell(point, curve)});
  }
  return table.html() +
         (hidden == 0 ? "" : paragraph(fmt::format("and {} loads tried in the search for the limit", hidden)));
}

// The badge is about the limit, if there is one. A sweep without runs has no answer.
std::string badge_of(const Sweep& sweep) {
  if (const auto failed = sweep::failed_checks(sweep); !failed.empty()) return badge(Tone::bad, failed);
  const auto answers = sweep::answers(sweep);
  if (answers.empty()) return badge(Tone::unknown, sweep.interrupted ? "Stopped early" : "No limit and no load");
  bool found = true;
  for (const auto& curve : sweep.curves) {
    const bool open = curve.bracket && (!curve.bracket->ended || !curve.bracket->width_percent);
    found = found && !open && (curve.bracket || !curve.knee || curve.knee->seen == "yes");
  }
  return badge(found ? Tone::good : Tone::unknown, answers.front());
}

std::string findings_of(const Sweep& sweep) {
  std::string out;
  for (const auto& finding : sweep.findings) {
    const auto of = finding.runs == 0 ? std::string() : fmt::format("in {} of {} runs: ", finding.runs, sweep.runs);
    out += folded_finding({result::Severity::note, of + finding.evidence, finding.id},
                          paragraph(fmt::format("Read `fathom help finding {}`.", finding.id)));
  }
  return out;
}

std::string first_of_sweep(const Sweep& sweep) {
  auto out = badge_of(sweep) + fmt::format("<p class=\"measured\">{}</p>\n", escaped(sweep::what(sweep)));
  const auto answers = sweep::answers(sweep);
  const std::size_t in_badge = sweep.failed_runs > 0 ? 0 : 1;
  if (answers.size() > in_badge)
    out += list_html(std::vector<std::string>(answers.begin() + static_cast<std::ptrdiff_t>(in_badge), answers.end()));
  if (!sweep.next.empty()) out += labeled("next", sweep.next);
  return first(out);
}

std::string options_table(const Sweep& sweep) {
  Table table("", {"option", "values"});
  for (const auto& option : sweep.over) table.row({option.name, fmt::format("{}", fmt::join(option.values, ", "))});
  table.row({"runs per point", fmt::format("{}", sweep.repeat)});
  if (!sweep.slo.empty()) table.row({"limit", sweep.slo});
  table.row({"program", sweep.program});
  return table.html();
}

}  // namespace

std::string sweep_section(const Sweep& sweep, std::size_t number) {
  Sections sections(number);
  if (sweep.load.empty()) {
    sections.add("Settings", points_table(sweep, sweep::joined(sweep)));
  } else {
    for (std::size_t i = 0; i < sweep.curves.size(); ++i) {
      const auto& curve = sweep.curves[i];
      sections.add(curve.of.empty() ? "Latency against load" : curve.of,
                   figures(number, static_cast<int>(i)) + points_table(sweep, curve));
    }
  }
  sections.add("Findings", findings_of(sweep));
  sections.add("Options", options_table(sweep));
  return first_of_sweep(sweep) + sections.html() + text_html(sweep);
}

}  // namespace fathom::report::page::tables
