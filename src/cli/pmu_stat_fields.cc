// CSV and JSON. In the CSV a field that holds the separator is put in quotes, which perf does not do.
#include <fmt/format.h>

#include <cmath>

#include "cli/pmu_stat_report.h"
#include "report/json_writer.h"

namespace fathom::cli {
namespace {

std::string field(std::string text, std::string_view separator) {
  if (!separator.empty() && text.find(separator) != std::string::npos) return "\"" + text + "\"";
  return text;
}

std::string csv_count(const pmu::StatEvent& event, const pmu::StatRow& row) {
  switch (row.count.state) {
    case pmu::CountState::not_supported:
      return "<not supported>";
    case pmu::CountState::not_counted:
    case pmu::CountState::taken:
      return "<not counted>";
    default:
      return fmt::format("{:.{}f}", row.value, std::floor(event.scale) == event.scale ? 0 : 2);
  }
}

std::string_view direction_name(pmu::Direction direction) {
  return direction == pmu::Direction::to_memory ? "read" : "write";
}

std::string_view state_name(pmu::CountState state) {
  constexpr std::string_view kNames[] = {"counted", "not_counted", "not_supported", "lost", "taken"};
  return kNames[static_cast<std::size_t>(state)];
}

bool has_number(const pmu::StatRow& row) {
  return row.count.state == pmu::CountState::counted || row.count.state == pmu::CountState::lost;
}

std::vector<std::string> fields_of(const StatReport& report, std::size_t i, const pmu::StatRow& row) {
  const auto& event = report.events[i];
  std::vector<std::string> fields = {csv_count(event, row), event.unit, event.name};
  if (report.runs > 1) fields.push_back(fmt::format("{:.2f}%", row.deviation_percent));
  fields.push_back(std::to_string(row.count.running_ns));
  fields.push_back(fmt::format("{:.2f}", row.count.enabled_ns == 0 ? 100 : 100 * row.count.running_share));
  const bool bytes = has_number(row) && event.bytes && event.bytes->unit_bytes > 0;
  const bool percent = row.window_percent.has_value();
  fields.push_back(bytes     ? fmt::format("{:.2f}", row.mb_per_s)
                   : percent ? fmt::format("{:.3f}", *row.window_percent)
                             : "");
  fields.push_back(bytes ? "MB/s" : percent ? "% of the window" : "");
  fields.push_back(bytes ? fmt::format("{:.0f}", row.bytes) : "");
  fields.push_back(event.bytes ? std::string(direction_name(event.bytes->direction)) : "");
  if (i < report.slots.size()) {
    const auto& estimate = report.slots[i].estimate;
    const bool known = estimate.confidence > 0;
    fields.push_back(known ? fmt::format("{:.0f}", estimate.low) : "");
    fields.push_back(known ? fmt::format("{:.0f}", estimate.high) : "");
    fields.push_back(report.slots[i].aliased ? "aliased" : "");
  }
  fields.emplace_back(state_name(row.count.state));
  return fields;
}

void json_slots(report::JsonWriter& w, const SlotInterval& interval, const pmu::StatEvent& event) {
  const auto& estimate = interval.estimate;
  w.field("slots", static_cast<std::uint64_t>(estimate.slots));
  w.field("aliased", interval.aliased);
  w.field("whole", interval.whole);
  w.field("withheld", interval.withheld);
  w.field("confidence", estimate.confidence);
  if (estimate.confidence <= 0) return;
  w.field("low", estimate.low);
  w.field("high", estimate.high);
  w.field("few", estimate.few);
  if (!event.bytes || event.bytes->unit_bytes <= 0) return;
  w.field("bytes_low", estimate.low / event.scale * event.bytes->unit_bytes);
  w.field("bytes_high", estimate.high / event.scale * event.bytes->unit_bytes);
}

void json_row(report::JsonWriter& w, const StatReport& report, std::size_t i, const pmu::StatRow& row) {
  const auto& event = report.events[i];
  w.begin_object();
  w.field("event", event.name);
  w.field("state", state_name(row.count.state));
  if (has_number(row)) {
    w.field("count", row.value);
    w.field("unit", event.unit);
    w.field("raw", row.count.raw);
  }
  w.field("enabled_ns", row.count.enabled_ns);
  w.field("running_ns", row.count.running_ns);
  w.field("running_percent", 100 * row.count.running_share);
  if (report.runs > 1) w.field("deviation_percent", row.deviation_percent);
  if (i < report.slots.size()) json_slots(w, report.slots[i], event);
  if (row.window_percent) w.field("window_percent", *row.window_percent);
  if (i < report.lost_at_s.size() && report.lost_at_s[i]) w.field("lost_at_s", *report.lost_at_s[i]);
  if (event.bytes) {
    w.field("direction", direction_name(event.bytes->direction));
    w.field("rule", event.bytes->sentence);
  }
  if (event.bytes && event.bytes->unit_bytes > 0 && has_number(row)) {
    w.field("unit_bytes", event.bytes->unit_bytes);
    w.field("bytes", row.bytes);
    w.field("mb_per_s", row.mb_per_s);
    w.field("window_ns", row.count.window_ns);
  }
  w.end_object();
}

}  // namespace

std::string stat_csv_header(const StatReport& report, bool intervals, bool slots, std::string_view separator) {
  std::vector<std::string> names = {"count",  "unit",        "event", "run_time_ns", "running_percent",
                                    "metric", "metric_unit", "bytes", "direction"};
  if (report.runs > 1) names.insert(names.begin() + 3, "deviation");
  if (slots) names.insert(names.end(), {"low", "high", "aliased"});
  names.emplace_back("state");
  if (intervals) names.insert(names.begin(), "time");
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : std::string(separator)) + name;
  return out + "\n";
}

std::string stat_csv(const StatReport& report, const StatInterval* interval, std::string_view separator) {
  std::string out;
  const auto& rows = interval != nullptr ? interval->rows : report.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (interval != nullptr) out += fmt::format("{:.9f}{}", interval->time_s, separator);
    const auto fields = fields_of(report, i, rows[i]);
    for (std::size_t f = 0; f < fields.size(); ++f)
      out += (f == 0 ? "" : std::string(separator)) + field(fields[f], separator);
    out += "\n";
  }
  return out;
}

std::string stat_csv_notes(const StatReport& report) {
  std::string out;
  for (const auto& note : report.notes) out += fmt::format("# note: {}\n", note);
  return out;
}

// The writer breaks lines between values only: a string holds no raw newline.
std::string one_line(const std::string& json) {
  std::string out;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '\n') {
      out += json[at];
      continue;
    }
    while (at + 1 < json.size() && json[at + 1] == ' ') ++at;
  }
  return out + "\n";
}

std::string stat_json_line(const StatReport& report, const StatInterval& interval) {
  report::JsonWriter w;
  w.begin_object();
  w.field("time_s", interval.time_s);
  w.begin_array("events");
  for (std::size_t i = 0; i < interval.rows.size(); ++i) json_row(w, report, i, interval.rows[i]);
  w.end_array();
  w.end_object();
  return one_line(w.take());
}

std::string stat_json(const StatReport& report) {
  constexpr int kFormatVersion = 1;
  report::JsonWriter w;
  w.begin_object();
  w.field("format_version", kFormatVersion);
  w.field("command", report.subject);
  w.field("system_wide", report.system_wide);
  w.field("runs", report.runs);
  const auto elapsed = pmu::mean_of(report.elapsed_s);
  w.field("elapsed_s", elapsed.mean);
  w.field("elapsed_deviation_s", elapsed.deviation);
  if (report.exit_status) {
    w.field("user_s", report.user_s);
    w.field("system_s", report.system_s);
    w.field("exit_status", *report.exit_status);
  }
  w.begin_array("events");
  for (std::size_t i = 0; i < report.rows.size(); ++i) json_row(w, report, i, report.rows[i]);
  w.end_array();
  w.begin_array("notes");
  for (const auto& note : report.notes) w.element(note);
  w.end_array();
  w.end_object();
  return w.take();
}

}  // namespace fathom::cli
