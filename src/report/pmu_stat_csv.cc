// CSV in perf's order. A field that holds the separator is put in quotes, which perf does not do.
#include <fmt/format.h>

#include "report/pmu_stat.h"

namespace fathom::report {
namespace {

using result::PmuRow, result::PmuStat, result::PmuState;

std::string field(std::string text, std::string_view separator) {
  if (!separator.empty() && text.find(separator) != std::string::npos) return "\"" + text + "\"";
  return text;
}

std::string count_text(const PmuRow& row) {
  if (row.has_number()) return fmt::format("{:.{}f}", row.count, row.fraction ? 2 : 0);
  return row.state == PmuState::not_supported ? "<not supported>" : "<not counted>";
}

std::vector<std::string> fields_of(const PmuRow& row, bool several_runs) {
  std::vector<std::string> fields = {count_text(row), row.unit, row.event};
  if (several_runs) fields.push_back(fmt::format("{:.2f}%", row.deviation_percent));
  fields.push_back(std::to_string(row.running_ns));
  fields.push_back(fmt::format("{:.2f}", row.enabled_ns == 0 ? 100 : row.running_percent));
  fields.push_back(row.bytes            ? fmt::format("{:.2f}", row.bytes->mb_per_s)
                   : row.window_percent ? fmt::format("{:.3f}", *row.window_percent)
                                        : "");
  fields.emplace_back(row.bytes ? "MB/s" : row.window_percent ? "% of the window" : "");
  fields.push_back(row.bytes ? fmt::format("{:.0f}", row.bytes->bytes) : "");
  fields.emplace_back(row.rule ? name(row.rule->direction) : "");
  if (row.slots) {
    const auto& interval = row.slots->interval;
    fields.push_back(interval ? fmt::format("{:.0f}", interval->low) : "");
    fields.push_back(interval ? fmt::format("{:.0f}", interval->high) : "");
    fields.emplace_back(row.slots->aliased ? "aliased" : "");
  }
  fields.emplace_back(name(row.state));
  return fields;
}

std::string lines(const std::vector<PmuRow>& rows, bool several_runs, std::string_view separator,
                  const std::string& before) {
  std::string out;
  for (const auto& row : rows) {
    out += before;
    const auto fields = fields_of(row, several_runs);
    for (std::size_t f = 0; f < fields.size(); ++f)
      out += (f == 0 ? "" : std::string(separator)) + field(fields[f], separator);
    out += "\n";
  }
  return out;
}

}  // namespace

std::string pmu_stat_csv_header(bool several_runs, bool intervals, bool slots, std::string_view separator) {
  std::vector<std::string> names = {"count",  "unit",        "event", "run_time_ns", "running_percent",
                                    "metric", "metric_unit", "bytes", "direction"};
  if (several_runs) names.insert(names.begin() + 3, "deviation");
  if (slots) names.insert(names.end(), {"low", "high", "aliased"});
  names.emplace_back("state");
  if (intervals) names.insert(names.begin(), "time");
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : std::string(separator)) + name;
  return out + "\n";
}

std::string pmu_interval_csv(const result::PmuIntervalRows& interval, std::string_view separator) {
  const double time_s = static_cast<double>(interval.time_ns) / 1e9;
  return lines(interval.rows, false, separator, fmt::format("{:.9f}{}", time_s, separator));
}

std::string pmu_stat_csv(const PmuStat& stat, std::string_view separator) {
  if (stat.intervals.empty()) return lines(stat.rows, stat.runs > 1, separator, "");
  std::string out;
  for (const auto& interval : stat.intervals) out += pmu_interval_csv(interval, separator);
  return out;
}

std::string pmu_stat_csv_plain(const PmuStat& stat) { return pmu_stat_csv(stat, ","); }

std::string pmu_stat_csv_named(const PmuStat& stat) {
  const bool slots = !stat.rows.empty() && stat.rows[0].slots;
  return pmu_stat_csv_header(stat.runs > 1, !stat.intervals.empty(), slots, ",") + pmu_stat_csv(stat, ",");
}

std::string pmu_stat_csv_notes(const PmuStat& stat) {
  std::string out;
  for (const auto& note : stat.notes) out += fmt::format("# note: {}\n", note);
  return out;
}

}  // namespace fathom::report
