// The verdict comes first, then facts that may explain it: the sides and the differences of jobs and hosts. Then all
// numbers, the conditions and the plots. Sentences are no wider than requested; the table has a fixed width.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.h"
#include "report/compare/compare_formats.h"
#include "report/compare/compare_words.h"
#include "report/formats.h"
#include "report/paging/paging_chart.h"

namespace fathom::report {
namespace compare {
namespace {

using base::text::printable;
using result::Compare;

std::string head(const Compare& compare, std::size_t width) {
  std::string out;
  for (const auto& sentence : failed_checks(compare)) out += fitted(sentence, "", width);
  for (const auto& sentence : verdicts(compare)) out += fitted(sentence, "", width);
  if (const auto names = unlike(compare); !names.empty())
    out += fitted(fmt::format("The jobs differ: {}.", names), "", width);
  return out;
}

std::string sides(const Compare& compare, std::size_t width) {
  std::string out = "\n";
  for (const auto& side : compare.sides)
    out += fitted(fmt::format("{}: {}, {}", printable(side.name), printable(side.files), side_text(side)), "", width);
  for (const auto& left_out : compare.left_out)
    out += fitted(fmt::format("omitted: {}: {}{}", printable(left_out.file), printable(left_out.what),
                              left_out.cause.empty() ? "" : " (" + printable(left_out.cause) + ")"),
                  "", width);
  return out;
}

std::string setup(const Compare& compare, std::size_t width) {
  std::string out = "\n";
  out += compare.differences.empty() ? "The recorded facts about jobs and hosts are equal.\n" : "What differs:\n";
  for (const auto& difference : compare.differences) out += fitted(difference_text(compare, difference), "  ", width);
  for (const auto& warning : compare.warnings) out += fitted("note: " + printable(warning), "", width);
  return out;
}

std::string line_of(const Compare& compare, const std::string& label, const result::ComparedMetric& metric,
                    const result::Change& change) {
  const bool several = compare.sides.size() > 2;
  const auto typical = [&](const std::string& side) {
    const auto value = typical_of(metric, side);
    return value ? value_text(*value, metric.unit) : std::string("-");
  };
  const auto base = compare.sides.empty() ? std::string() : compare.sides[0].name;
  return fmt::format("  {:<17} {:>8} {:>{}} {:>8} {:>17}  {}\n", label, typical(base),
                     several ? printable(change.side) + " " + typical(change.side) : typical(change.side),
                     several ? 10 : 8, change.percent ? percent_text(*change.percent) + "%" : "-",
                     interval_text(change), name(change.told));
}

std::string table(const Compare& compare, std::size_t width) {
  constexpr std::size_t kName = 17;
  const bool several = compare.sides.size() > 2;
  const auto name_at = [&](std::size_t i) {
    return i < compare.sides.size() ? printable(compare.sides[i].name) : std::string();
  };
  std::string out = fmt::format("\n  {:<17} {:>8} {:>{}} {:>8} {:>17}  {}\n", "metric", name_at(0),
                                several ? "other" : name_at(1), several ? 10 : 8, "change", "interval, %", "verdict");
  for (const auto& metric : compare.metrics) {
    if (is_zero(metric)) continue;
    auto name = metric_text(metric);
    if (name.size() > kName) out += fitted(name, "  ", width), name.clear();
    for (const auto& change : metric.changes) out += line_of(compare, name, metric, change), name.clear();
  }
  if (const auto needed = still_needed(compare); !needed.empty()) out += fitted(needed, "  ", width);
  return out;
}

std::string conditions(const Compare& compare, std::size_t width) {
  std::string out = compare.conditions.empty() ? "" : "\n";
  for (const auto& condition : compare.conditions)
    out += fitted(fmt::format("{}: {} of {}: {}", name(condition.outcome), printable(condition.written),
                              printable(condition.side), printable(condition.text)),
                  "", width);
  return out;
}

std::string plots(const Compare& compare, bool utf8, std::size_t width) {
  if (compare.histogram_of.empty() || compare.sides.empty() || width < paging::kSeriesNarrowest) return "";
  std::vector<const stats::Histogram*> histograms;
  for (const auto& side : compare.sides) histograms.push_back(&side.histogram_ns);
  const auto axis = paging::axis_for(histograms, width);
  paging::ChartStyle style;
  style.utf8 = utf8, style.width = width;
  const auto& base = compare.sides[0];
  std::string out;
  for (std::size_t i = 1; i < compare.sides.size(); ++i) {
    const auto& side = compare.sides[i];
    const char letter = side.name.size() == 1 ? side.name[0] : 'B';
    const auto of = printable(compare.histogram_of);
    const auto overlaid = paging::draw_overlaid(
        fmt::format("{} of {} and {}, share of samples:", of, printable(base.name), printable(side.name)),
        base.histogram_ns, side.histogram_ns, axis, style, letter);
    const auto difference = paging::draw_difference(
        fmt::format("cumulative share, percentage points of {} minus {} (above the line {} is faster):",
                    printable(side.name), printable(base.name), printable(side.name)),
        base.histogram_ns, side.histogram_ns, axis, style);
    if (!overlaid.empty()) out.append("\n").append(overlaid).append("\n").append(difference);
  }
  return out;
}

}  // namespace

std::string text_of(const Compare& compare, const Canvas& canvas) {
  const auto width = std::clamp(canvas.width, kNarrowest, kWidest);
  auto out = head(compare, width) + sides(compare, width) + setup(compare, width) + table(compare, width) +
             conditions(compare, width);
  return canvas.plots ? out + plots(compare, canvas.utf8, width) : out;
}

std::string answer(const Compare& compare, const Canvas& canvas) {
  return head(compare, std::clamp(canvas.width, kNarrowest, kWidest));
}

}  // namespace compare

std::string compare_text(const result::Compare& compare) { return compare::text_of(compare, {}); }

}  // namespace fathom::report
