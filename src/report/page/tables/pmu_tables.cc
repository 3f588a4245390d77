// A count that is not one of the whole time is marked in its row: the event was not counted, shared a counter, or lost
// its PMU.
#include "report/page/tables/pmu_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text/unit_text.h"
#include "report/page/html.h"
#include "report/page/tables/blocks.h"
#include "report/page/units.h"
#include "result/finding.h"

namespace fathom::report::page::tables {
namespace {

using result::PmuRow;
using result::PmuStat;
using result::PmuState;

constexpr double kAlways = 99.995;  // percent of the time; above, the event shared no counter

Cell state_of(const PmuRow& row) {
  if (row.state == PmuState::counted && row.enabled_ns > 0 && row.running_percent < kAlways)
    return toned(Tone::fair, fmt::format("counted {} of the time", percent(row.running_percent)));
  switch (row.state) {
    case PmuState::counted:
      return toned(Tone::good, "counted");
    case PmuState::lost:
      return toned(Tone::bad, row.lost_at_s ? "lost after " + quantity(*row.lost_at_s * 1e9, "ns") : "lost");
    case PmuState::taken:
      return toned(Tone::bad, "held by another program");
    case PmuState::not_supported:
      return toned(Tone::bad, "not supported");
    case PmuState::not_counted:
      break;
  }
  return toned(Tone::bad, "not counted");
}

std::string count_of(const PmuRow& row) {
  if (!row.has_number()) return "-";
  return base::text::with_commas(row.count, row.fraction) + (row.unit.empty() ? "" : " " + row.unit);
}

std::string metric_of(const PmuRow& row) {
  if (row.window_percent) return percent(*row.window_percent) + " of the window";
  if (!row.metric) return "-";
  const bool is_percent = row.metric->unit.starts_with("of all ") || row.metric->unit.ends_with(" cycles idle");
  return fmt::format("{:.3g}{} {}", row.metric->value, is_percent ? " %" : "", row.metric->unit);
}

std::string estimate_of(const PmuRow& row) {
  if (row.slots && row.slots->interval)
    return fmt::format("{} to {}{}", base::text::with_commas(row.slots->interval->low, false),
                       base::text::with_commas(row.slots->interval->high, false),
                       row.slots->aliased ? ", aliased" : "");
  return row.deviation_percent > 0 ? "± " + percent(row.deviation_percent) : "-";
}

std::string byte_rate(const result::PmuBytes& bytes) { return quantity(bytes.mb_per_s * 1e6, "bytes/s"); }

// A column is there if a row has something in it.
std::string events_table(const std::vector<PmuRow>& rows) {
  const auto any = [&](auto has) { return std::any_of(rows.begin(), rows.end(), has); };
  const bool places = any([](const PmuRow& row) { return row.place.has_value(); });
  const bool bytes = any([](const PmuRow& row) { return row.bytes || row.rule; });
  const bool metrics = any([](const PmuRow& row) { return row.metric || row.window_percent; });
  const bool estimates = any([](const PmuRow& row) { return row.slots || row.deviation_percent > 0; });
  std::vector<std::string_view> heads{"event"};
  if (places) heads.emplace_back("where");
  heads.insert(heads.end(), {"#count", "state"});
  if (estimates) heads.emplace_back("#interval");
  if (metrics) heads.emplace_back("#derived");
  if (bytes) heads.insert(heads.end(), {"#bytes", "#per second", "direction"});
  Table table("", heads);
  for (const auto& row : rows) {
    std::vector<Cell> cells{{row.event}};
    if (places) cells.push_back({row.place ? row.place->name : "-"});
    cells.push_back({count_of(row)});
    cells.push_back(state_of(row));
    if (estimates) cells.push_back({estimate_of(row)});
    if (metrics) cells.push_back({metric_of(row)});
    if (bytes) {
      cells.push_back({row.bytes ? quantity(row.bytes->bytes, "bytes") : "-"});
      cells.push_back({row.bytes ? byte_rate(*row.bytes) : "-"});
      cells.push_back({row.rule ? name(row.rule->direction) : "-"});
    }
    table.cells(cells);
  }
  return table.html();
}

std::string subject_of(const PmuStat& stat) {
  const auto runs = stat.runs > 1 ? fmt::format(", {} runs", stat.runs) : "";
  if (stat.target) return fmt::format("{} {}{}", name(stat.target->kind), stat.target->list, runs);
  const bool whole = stat.system_wide || stat.command.empty();
  return whole ? "the whole machine" + (stat.command.empty() ? "" : ", while `" + stat.command + "` ran") + runs
               : "`" + stat.command + "`" + runs;
}

std::vector<headline::NumbersOf> pmu_numbers(const PmuStat& stat) {
  std::vector<headline::NumbersOf> out;
  const auto [mean_s, deviation_s] = stat.elapsed_s();
  headline::NumbersOf time{"time", {{"elapsed", quantity(mean_s * 1e9, "ns")}}, ""};
  if (stat.elapsed_ns.size() > 1) time.interval = "± " + quantity(deviation_s * 1e9, "ns");
  if (stat.ended && stat.runs == 1) {
    time.numbers.push_back({"user", quantity(stat.ended->user_s * 1e9, "ns")});
    time.numbers.push_back({"system", quantity(stat.ended->system_s * 1e9, "ns")});
  }
  out.push_back(std::move(time));
  constexpr std::size_t kMostRules = 3;
  for (const auto& row : stat.rows)
    if (row.bytes && out.size() <= kMostRules)
      out.push_back(
          {row.event,
           {{fmt::format("{} bytes", row.rule ? name(row.rule->direction) : "counted"), byte_rate(*row.bytes)},
            {"in all", quantity(row.bytes->bytes, "bytes")}},
           ""});
  return out;
}

std::string pmu_badge(const PmuStat& stat) {
  const auto missing =
      std::count_if(stat.rows.begin(), stat.rows.end(), [](const auto& row) { return !row.has_number(); });
  if (stat.rows.empty()) return badge(Tone::unknown, "No event was counted");
  if (missing > 0) return badge(Tone::fair, fmt::format("{} of {} events were not counted", missing, stat.rows.size()));
  const auto shared = std::count_if(stat.rows.begin(), stat.rows.end(), [](const auto& row) {
    return row.enabled_ns > 0 && row.running_percent < kAlways;
  });
  if (shared > 0)
    return badge(Tone::fair,
                 fmt::format("{} of {} events shared a counter: their counts are scaled", shared, stat.rows.size()));
  return badge(Tone::good, "All events were counted all the time");
}

std::string rules_html(const PmuStat& stat) {
  Table table("", {"event", "how counts become bytes"});
  for (const auto& row : stat.rows)
    if (row.rule) table.row({row.event, row.rule->sentence});
  return table.html();
}

}  // namespace

std::string pmu_section(const PmuStat& stat, std::size_t number) {
  std::string out = pmu_badge(stat);
  out += fmt::format("<p class=\"measured\">{}</p>\n", escaped(subject_of(stat)));
  out += large_html(pmu_numbers(stat));
  Sections sections(number);
  if (!stat.intervals.empty()) sections.add("Over time", figures(number));
  sections.add("Events", events_table(stat.rows));
  sections.add("Rules", rules_html(stat));
  sections.add("Notes", list_html(stat.notes));
  return first(std::move(out)) + sections.html() + text_html(stat);
}

}  // namespace fathom::report::page::tables
