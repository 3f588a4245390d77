// The words of the verdict are those of the text (report/compare/compare_words.h). An arrow shows better or worse, and
// not larger or smaller: a latency that falls is better.
#include "report/page/tables/compare_tables.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "report/compare/compare_words.h"
#include "report/page/html.h"
#include "report/page/tables/blocks.h"
#include "report/page/units.h"
#include "report/parts/numbers.h"

namespace fathom::report::page::tables {
namespace {

using result::Change;
using result::Compare;
using result::ComparedMetric;
using result::Told;

constexpr int kPlaceOfChanges = 0, kPlaceOfSides = 1;  // of the figures: assets/show.js

struct ToldLook {
  Tone tone;
  const char* icon;
};

ToldLook told_look(Told told) {
  constexpr ToldLook kLooks[] = {{Tone::unknown, "?"}, {Tone::neutral, "="}, {Tone::bad, "▼"}, {Tone::good, "▲"}};
  return kLooks[static_cast<std::size_t>(told)];
}

Cell told_cell(Told told) {
  const auto [tone, icon] = told_look(told);
  auto cell = toned(tone, name(told));
  cell.icon = icon;
  return cell;
}

std::string side_value(const ComparedMetric& metric, const std::string& side) {
  const auto value = compare::typical_of(metric, side);
  return value ? quantity(*value, metric.unit) : "-";
}

std::string change_value(const Change& change) { return change.percent ? signed_percent(*change.percent) : "-"; }

std::string change_interval(const Change& change) {
  if (!change.low_percent || !change.high_percent) return "-";
  return fmt::format("{} to {}", signed_percent(*change.low_percent), signed_percent(*change.high_percent));
}

std::string name_of_first(const Compare& compare) { return compare.sides.empty() ? "A" : compare.sides[0].name; }

void for_primary(const Compare& compare, const auto& each) {
  for (const auto& metric : compare.metrics)
    for (const auto& change : metric.changes)
      if (metric.primary) each(metric, change);
}

headline::NumbersOf numbers_of_change(const Compare& compare, const ComparedMetric& metric, const Change& change) {
  const auto first = name_of_first(compare);
  headline::NumbersOf out{fmt::format("{} of {} and {}", compare::metric_text(metric), first, change.side),
                          {{first, side_value(metric, first)}, {change.side, side_value(metric, change.side)}},
                          ""};
  if (change.percent) out.numbers.push_back({"change", change_value(change)});
  if (change.low_percent && change.high_percent)
    out.interval = fmt::format("{:.3g} % interval of the change: {}", 100 * change.confidence, change_interval(change));
  return out;
}

std::string why_open(const Compare& compare, const Change& change) {
  if (change.told == Told::no_change)
    return paragraph(fmt::format("The interval lies within the margin of ±{:g} %.", compare.margin_percent));
  if (change.told != Told::cannot_tell || change.reason.empty()) return "";
  const auto needed =
      change.runs_needed > 0 ? fmt::format("; about {} runs per side would be enough", change.runs_needed) : "";
  return paragraph(fmt::format("Inconclusive: {}{}.", change.reason, needed));
}

std::string first_of_compare(const Compare& compare, std::size_t number) {
  std::string out;
  for (const auto& sentence : compare::failed_checks(compare)) out += badge(Tone::bad, sentence);
  const auto base = compare::base_name(compare);
  for_primary(compare, [&](const auto&, const Change& change) {
    const auto [tone, icon] = told_look(change.told);
    out += badge(tone, compare::answer_text(base, change), "", icon);
  });
  std::vector<std::string> sides;
  for (const auto& side : compare.sides) sides.push_back(fmt::format("{}: {}", side.name, side.files));
  out += fmt::format("<p class=\"measured\">{}</p>\n", escaped(fmt::format("{}", fmt::join(sides, "; "))));
  std::vector<headline::NumbersOf> numbers;
  for_primary(compare, [&](const auto& metric, const Change& change) {
    numbers.push_back(numbers_of_change(compare, metric, change));
  });
  if (!numbers.empty()) out += large_html(numbers);
  for_primary(compare, [&](const auto&, const Change& change) { out += why_open(compare, change); });
  if (const auto names = compare::unlike(compare); !names.empty()) out += labeled("The jobs differ", names);
  return first(out + figures(number, kPlaceOfChanges));
}

std::string metrics_table(const Compare& compare) {
  const bool several = compare.sides.size() > 2;
  const auto base = name_of_first(compare);
  const auto other = several || compare.sides.size() < 2 ? std::string("#other side") : "#" + compare.sides[1].name;
  const auto base_head = "#" + base;
  std::vector<std::string_view> heads{"metric"};
  if (several) heads.emplace_back("side");
  heads.insert(heads.end(), {base_head, other, "#change", "#interval", "verdict", "#p"});
  Table table("▲ better than " + base + ", ▼ worse, = no change, ? inconclusive", heads);
  for (const auto& metric : compare.metrics) {
    if (compare::is_zero(metric)) continue;
    for (const auto& change : metric.changes) {
      std::vector<Cell> cells{{compare::metric_text(metric)}};
      if (several) cells.push_back({change.side});
      for (auto&& text :
           {side_value(metric, base), side_value(metric, change.side), change_value(change), change_interval(change)})
        cells.push_back({text});
      cells.push_back(told_cell(change.told));
      cells.push_back({fmt::format("{:.2g}", change.p_corrected)});
      table.cells(cells);
    }
  }
  const auto needed = compare::still_needed(compare);
  return table.html() + (needed.empty() ? "" : paragraph(needed));
}

std::string conditions_table(const Compare& compare) {
  Table table("", {"condition", "outcome", "side", "of", "what was seen"});
  for (const auto& condition : compare.conditions) {
    constexpr Tone kTones[] = {Tone::good, Tone::unknown, Tone::bad};
    table.cells({{condition.written},
                 toned(kTones[static_cast<std::size_t>(condition.outcome)], name(condition.outcome)),
                 {condition.side},
                 {condition.of},
                 {condition.text}});
  }
  return table.html();
}

std::string differences_html(const Compare& compare) {
  std::vector<std::string_view> heads{"part", "what"};
  for (const auto& side : compare.sides) heads.emplace_back(side.name);
  Table table("", heads);
  for (const auto& difference : compare.differences) {
    std::vector<std::string> cells{difference.part, difference.name + (difference.unlike ? " (unlike jobs)" : "")};
    cells.insert(cells.end(), difference.values.begin(), difference.values.end());
    table.row(cells);
  }
  const auto out = table.empty() ? paragraph("The recorded facts about jobs and hosts are equal.") : table.html();
  return out + list_html(compare.warnings);
}

std::string time_of(std::uint64_t epoch_ms) { return epoch_ms == 0 ? "-" : parts::calendar(epoch_ms, 0) + " UTC"; }

std::string sides_table(const Compare& compare) {
  Table table("", {"side", "files", "#runs", "#files read", "#runs with failed checks", "first run", "last run"});
  for (const auto& side : compare.sides)
    table.row({side.name, side.files, fmt::format("{}", side.runs), fmt::format("{}", side.invocations),
               fmt::format("{}", side.failed_runs), time_of(side.first_epoch_ms), time_of(side.last_epoch_ms)});
  Table omitted("Omitted", {"file", "what", "cause"});
  for (const auto& one : compare.left_out) omitted.row({one.file, one.what, one.cause.empty() ? "-" : one.cause});
  return table.html() + omitted.html();
}

}  // namespace

std::string compare_section(const Compare& compare, std::size_t number) {
  Sections sections(number);
  sections.add("Metrics", metrics_table(compare));
  sections.add("Conditions", conditions_table(compare));
  if (!compare.histogram_of.empty())
    sections.add("Distributions", paragraph("Latency: " + compare.histogram_of) + figures(number, kPlaceOfSides));
  sections.add("What differs", differences_html(compare));
  sections.add("Sides", sides_table(compare));
  return first_of_compare(compare, number) + sections.html() + text_html(compare);
}

std::string compare_title(const Compare& compare) {
  constexpr std::size_t kMostBytes = 60;
  std::vector<std::string> sides;
  for (const auto& side : compare.sides) {
    const auto files =
        side.files.size() > kMostBytes ? "..." + side.files.substr(side.files.size() - kMostBytes + 3) : side.files;
    sides.push_back(fmt::format("{} ({})", side.name, files));
  }
  return fmt::format("Comparison of {}", fmt::join(sides, " and "));
}

}  // namespace fathom::report::page::tables
