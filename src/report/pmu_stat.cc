// The reports of `fathom pmu stat`: text as perf prints it, JSON with one line per interval, perf's CSV and perf's
// JSON.
#include "report/pmu_stat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/unit_text.h"
#include "report/document.h"

namespace fathom::report {

// perf stat's layout. The value from a PCIe rule follows the name.

namespace {

using base::text::with_commas;
using result::PmuRow, result::PmuStat, result::PmuState;

constexpr int kCountWidth = 18, kNameWidth = 32;
constexpr double kOneHundredPercent = 99.995;  // printed as 100.00 from here on
constexpr std::size_t kHeaderEvery = 25;       // intervals

std::string_view state_text(PmuState state) {
  switch (state) {
    case PmuState::not_supported:
      return "<not supported>";
    case PmuState::taken:
      return "<held by another>";
    case PmuState::not_counted:
      return "<not counted>";
    default:
      return "";
  }
}

std::string count_text(const PmuRow& row) {
  return row.has_number() ? with_commas(row.count, row.fraction) : std::string(state_text(row.state));
}

// As in perf: percent with two digits, other ratios with two or three.
std::string metric_number(const result::PmuMetric& metric) {
  const bool percent = metric.unit.starts_with("of all ") || metric.unit.ends_with(" cycles idle");
  return fmt::format("{:.{}f}", metric.value, percent || metric.unit == "insn per cycle" ? 2 : 3);
}

std::string derived_text(const result::PmuMetric& metric) {
  constexpr int kUnitWidth = 23;
  const std::string number = metric_number(metric);
  if (metric.unit == "insn per cycle") return fmt::format("# {:>7}  {:<{}}", number, metric.unit, kUnitWidth);
  if (metric.unit.starts_with("of all ") || metric.unit.ends_with(" cycles idle"))
    return fmt::format("# {:>7}% {:<{}}", number, metric.unit, kUnitWidth);
  return fmt::format("# {:>8} {:<{}}", number, metric.unit, kUnitWidth);
}

std::string metric_text(const PmuRow& row) {
  constexpr int kWidth = 34;  // without a metric, the width before a deviation
  if (row.metric) return derived_text(*row.metric);
  if (!row.has_number()) return std::string(kWidth, ' ');
  if (row.window_percent) return fmt::format("# {:9.3f} % of the window", *row.window_percent);
  if (!row.rule) return std::string(kWidth, ' ');
  const auto* way = row.rule->direction == result::PmuDirection::read ? "to memory (read)" : "from memory (write)";
  if (!row.bytes) return fmt::format("# bytes unknown  {}", way);
  return fmt::format("# {:>16} bytes {:>12} MB/s  {}", with_commas(row.bytes->bytes, false),
                     with_commas(row.bytes->mb_per_s, true), way);
}

std::string slot_text(const result::PmuSlots& slots) {
  if (slots.whole) return "";
  if (slots.withheld) return "  ( no estimate: counting changes the load )";
  if (!slots.interval) return "  ( too few slots for an interval )";
  const auto& [low, high, total, few, bytes_low, bytes_high] = *slots.interval;
  const std::string aliased = slots.aliased ? "  aliased" : "";
  if (total <= 0) return fmt::format("  ( 0 to {} ){}", with_commas(high, false), aliased);
  return fmt::format("  ( +- {:.2f}% ){}", 100 * std::max(high - total, total - low) / total, aliased);
}

// The widths of perf's columns, by kind.
constexpr int kPlaceWidths[] = {11, 15, 12, 6};

std::string place_text(const std::optional<result::PmuPlace>& place) {
  if (!place) return "";
  const int width = kPlaceWidths[static_cast<int>(place->kind)];
  if (place->kind == result::PmuPlaceKind::cpu) return fmt::format("{:<{}}", place->name, width);
  return fmt::format("{:<{}} {:>4} ", place->name, width, place->cpus);
}

std::string place_head(const std::optional<result::PmuPlace>& place) {
  if (!place) return "";
  const int width = kPlaceWidths[static_cast<int>(place->kind)];
  if (place->kind == result::PmuPlaceKind::cpu) return fmt::format("{:<{}}", "CPU", width);
  return fmt::format("{:<{}} cpus ", name(place->kind), width);
}

std::string row_text(const PmuRow& row, std::size_t unit_width, bool several_runs) {
  std::string out = place_text(row.place);
  out += fmt::format("{:>{}} {:<{}} {:<{}} {}", count_text(row), kCountWidth, row.unit, unit_width, row.event,
                     kNameWidth, metric_text(row));
  if (several_runs && row.state == PmuState::counted && row.deviation_percent > 0)
    out += fmt::format("  ( +- {:5.2f}% )", row.deviation_percent);
  if (row.slots) out += slot_text(*row.slots);
  if (row.running_ns > 0 && row.running_percent < kOneHundredPercent)
    out += fmt::format("  ({:.2f}%)", row.running_percent);
  if (row.state == PmuState::lost)
    out += row.lost_at_s ? fmt::format("  (lost at {:.1f} s)", *row.lost_at_s) : "  (lost)";
  return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
}

std::string rows_text(const std::vector<PmuRow>& rows, bool several_runs, const std::string& before) {
  std::size_t unit_width = 4;
  for (const auto& row : rows) unit_width = std::max(unit_width, row.unit.size());
  std::string out;
  for (const auto& row : rows) out += before + row_text(row, unit_width, several_runs);
  return out;
}

std::string subject_text(const PmuStat& stat) {
  if (!stat.target) return fmt::format("'{}'", stat.system_wide || stat.command.empty() ? "system wide" : stat.command);
  switch (stat.target->kind) {
    case result::PmuTargetKind::processes:
      return fmt::format("process id '{}'", stat.target->list);
    case result::PmuTargetKind::threads:
      return fmt::format("thread id '{}'", stat.target->list);
    default:
      return fmt::format("'CPU(s) {}'", stat.target->list);
  }
}

std::string elapsed_text(const PmuStat& stat) {
  const auto [mean_s, deviation_s] = stat.elapsed_s();
  if (stat.elapsed_ns.size() < 2) return fmt::format("{:>18.9f} seconds time elapsed\n", mean_s);
  // Two digits more than the deviation has zeros after the decimal point.
  const int digits =
      2 + (deviation_s > 0 && deviation_s < 1 ? static_cast<int>(std::ceil(-std::log10(deviation_s))) : 0);
  return fmt::format(" {:>17.{}f} +- {:.{}f} seconds time elapsed  ( +-{:6.2f}% )\n", mean_s, digits, deviation_s,
                     digits, mean_s > 0 ? 100 * deviation_s / mean_s : 0);
}

}  // namespace

std::string pmu_stat_notes_text(const PmuStat& stat) {
  std::string out;
  for (const auto& row : stat.rows)
    if (row.rule) out += fmt::format("  rule: {}: {}\n", row.event, row.rule->sentence);
  for (const auto& note : stat.notes) out += fmt::format("  note: {}\n", note);
  return out.empty() ? out : "\n" + out;
}

std::string pmu_interval_text(const result::PmuIntervalRows& interval, std::size_t number) {
  std::string header;
  if (number % kHeaderEvery == 0 && !interval.rows.empty())
    header = fmt::format("#           time {}{:>{}} unit events\n", place_head(interval.rows.front().place), "counts",
                         kCountWidth);
  return header +
         rows_text(interval.rows, false, fmt::format("{:>16.9f} ", static_cast<double>(interval.time_ns) / 1e9));
}

std::string pmu_stat_text(const PmuStat& stat) {
  std::string out;
  for (std::size_t i = 0; i < stat.intervals.size(); ++i) out += pmu_interval_text(stat.intervals[i], i);
  if (!stat.intervals.empty()) return out + pmu_stat_notes_text(stat);
  out = "\n Performance counter stats for " + subject_text(stat);
  if (stat.runs > 1) out += fmt::format(" ({} runs)", stat.runs);
  out += ":\n\n" + rows_text(stat.rows, stat.runs > 1, "") + "\n" + elapsed_text(stat);
  if (!stat.system_wide && !stat.target && stat.ended && stat.runs == 1)
    out += fmt::format("\n{:>18.9f} seconds user\n{:>18.9f} seconds sys\n", stat.ended->user_s, stat.ended->system_s);
  return out + pmu_stat_notes_text(stat) + "\n";
}

// One document. With -I, one line per interval as it was counted, and the document as the last line.

namespace {

// The writer breaks lines only between values: a string contains no raw newline.
std::string one_line(const std::string& json) {
  std::string out;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '\n') {
      out += json[at];
      continue;
    }
    while (at + 1 < json.size() && json[at + 1] == ' ') ++at;
    if (out.ends_with(',')) out += ' ';
  }
  return out + "\n";
}

}  // namespace

std::string pmu_interval_json(const result::PmuIntervalRows& interval) {
  parts::JsonWriter w;
  w.begin_object();
  parts::JsonFields fields(w, result::is_exact<result::PmuStat>());
  walk(fields, interval);
  w.end_object();
  return one_line(w.take());
}

std::string pmu_stat_json_line(const result::PmuStat& stat) { return one_line(document(stat)); }

std::string pmu_stat_json(const result::PmuStat& stat) {
  if (stat.intervals.empty()) return document(stat);
  std::string out;
  for (const auto& interval : stat.intervals) out += pmu_interval_json(interval);
  return out + pmu_stat_json_line(stat);
}

// CSV in perf's order. Unlike perf, it quotes a field that contains the separator.

namespace {

std::string field(std::string text, std::string_view separator) {
  if (!separator.empty() && text.find(separator) != std::string::npos) return "\"" + text + "\"";
  return text;
}

struct ShownMetric {
  double value = 0;
  std::string number, unit;  // unit empty: no metric
};

ShownMetric shown_metric(const PmuRow& row) {
  if (row.bytes) return {row.bytes->mb_per_s, fmt::format("{:.2f}", row.bytes->mb_per_s), "MB/s"};
  if (row.window_percent) return {*row.window_percent, fmt::format("{:.3f}", *row.window_percent), "% of the window"};
  if (row.metric) return {row.metric->value, metric_number(*row.metric), row.metric->unit};
  return {};
}

std::string csv_count(const PmuRow& row) {
  if (row.has_number()) return fmt::format("{:.{}f}", row.count, row.fraction ? 2 : 0);
  return row.state == PmuState::not_supported ? "<not supported>" : "<not counted>";
}

std::vector<std::string> fields_of(const PmuRow& row, bool several_runs) {
  std::vector<std::string> fields;
  if (row.place) fields.push_back(row.place->name);
  if (row.place && row.place->kind != result::PmuPlaceKind::cpu) fields.push_back(std::to_string(row.place->cpus));
  fields.insert(fields.end(), {csv_count(row), row.unit, row.event});
  if (several_runs) fields.push_back(fmt::format("{:.2f}%", row.deviation_percent));
  fields.push_back(std::to_string(row.running_ns));
  fields.push_back(fmt::format("{:.2f}", row.enabled_ns == 0 ? 100 : row.running_percent));
  const auto metric = shown_metric(row);
  fields.push_back(metric.unit.empty() ? "" : metric.number);
  fields.push_back(metric.unit);
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

std::string pmu_stat_csv_header(const CsvColumns& columns, std::string_view separator) {
  std::vector<std::string> names = {"count",  "unit",        "event", "run_time_ns", "running_percent",
                                    "metric", "metric_unit", "bytes", "direction"};
  if (columns.several_runs) names.insert(names.begin() + 3, "deviation");
  if (columns.slots) names.insert(names.end(), {"low", "high", "aliased"});
  names.emplace_back("state");
  if (columns.place && *columns.place != result::PmuPlaceKind::cpu) names.insert(names.begin(), "cpus");
  if (columns.place) names.insert(names.begin(), name(*columns.place));
  if (columns.intervals) names.insert(names.begin(), "time");
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : std::string(separator)) + name;
  return out + "\n";
}

std::string pmu_interval_csv(const result::PmuIntervalRows& interval, std::string_view separator) {
  const double time_s = static_cast<double>(interval.time_ns) / 1e9;
  return lines(interval.rows, false, separator, fmt::format("{:>16.9f}{}", time_s, separator));
}

std::string pmu_stat_csv(const PmuStat& stat, std::string_view separator) {
  if (stat.intervals.empty()) return lines(stat.rows, stat.runs > 1, separator, "");
  std::string out;
  for (const auto& interval : stat.intervals) out += pmu_interval_csv(interval, separator);
  return out;
}

std::string pmu_stat_csv_plain(const PmuStat& stat) { return pmu_stat_csv(stat, ","); }

std::string pmu_stat_csv_named(const PmuStat& stat) {
  CsvColumns columns{stat.runs > 1, !stat.intervals.empty(), !stat.rows.empty() && stat.rows[0].slots, {}};
  if (!stat.rows.empty() && stat.rows[0].place) columns.place = stat.rows[0].place->kind;
  return pmu_stat_csv_header(columns, ",") + pmu_stat_csv(stat, ",");
}

// perf's JSON: one object per line, with numbers as printf writes them.

namespace {

void perf_object(parts::JsonWriter& w, const PmuRow& row, bool several_runs) {
  if (row.place && row.place->kind == result::PmuPlaceKind::cpu) {
    w.field("cpu", std::string_view(row.place->name).substr(3));
  } else if (row.place) {
    w.field(name(row.place->kind), row.place->name);
    w.field("aggregate-number", row.place->cpus);
  }
  w.field("counter-value", row.has_number() ? fmt::format("{:f}", row.count) : csv_count(row));
  w.field("unit", row.unit);
  w.field("event", row.event);
  if (several_runs) w.field("variance", row.deviation_percent);
  w.field("event-runtime", row.running_ns);
  w.field("pcnt-running", row.enabled_ns == 0 ? 100 : row.running_percent);
  const auto metric = shown_metric(row);
  w.field("metric-value", metric.value);
  w.field("metric-unit", metric.unit);
  if (row.rule) w.field("direction", name(row.rule->direction));
  if (row.bytes) w.field("bytes", row.bytes->bytes);
  if (row.slots && row.slots->interval) {
    w.field("low", row.slots->interval->low);
    w.field("high", row.slots->interval->high);
  }
  if (row.slots) w.field("aliased", row.slots->aliased);
  w.field("state", name(row.state));
}

std::string perf_lines(const std::vector<PmuRow>& rows, bool several_runs, std::optional<double> time_s) {
  std::string out;
  for (const auto& row : rows) {
    parts::JsonWriter w;
    w.begin_object();
    if (time_s) w.exact("interval", *time_s);
    perf_object(w, row, several_runs);
    w.end_object();
    out += one_line(w.take());
  }
  return out;
}

}  // namespace

std::string pmu_interval_perf_json(const result::PmuIntervalRows& interval) {
  return perf_lines(interval.rows, false, static_cast<double>(interval.time_ns) / 1e9);
}

std::string pmu_stat_perf_json(const PmuStat& stat) {
  if (stat.intervals.empty()) return perf_lines(stat.rows, stat.runs > 1, {});
  std::string out;
  for (const auto& interval : stat.intervals) out += pmu_interval_perf_json(interval);
  return out;
}

std::string pmu_stat_csv_notes(const PmuStat& stat) {
  std::string out;
  for (const auto& note : stat.notes) out += fmt::format("# note: {}\n", note);
  return out;
}

}  // namespace fathom::report
