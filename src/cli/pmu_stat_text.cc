// perf stat's layout, with what a PCIe rule knows behind the name.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pmu_stat_report.h"

namespace fathom::cli {
namespace {

constexpr int kCountWidth = 18, kNameWidth = 32;
constexpr double kOneHundredPercent = 0.99995;  // what is shown as 100.00

std::string_view state_text(pmu::CountState state) {
  switch (state) {
    case pmu::CountState::not_supported:
      return "<not supported>";
    case pmu::CountState::taken:
      return "<held by another>";
    case pmu::CountState::not_counted:
      return "<not counted>";
    default:
      return "";
  }
}

std::string count_text(const pmu::StatEvent& event, const pmu::StatRow& row) {
  const auto state = state_text(row.count.state);
  return state.empty() ? with_commas(row.value, std::floor(event.scale) == event.scale) : std::string(state);
}

std::string_view direction_text(pmu::Direction direction) {
  return direction == pmu::Direction::to_memory ? "to memory (read)" : "from memory (write)";
}

std::string metric_text(const pmu::StatEvent& event, const pmu::StatRow& row) {
  if (!state_text(row.count.state).empty()) return "";
  if (row.window_percent) return fmt::format("# {:9.3f} % of the window", *row.window_percent);
  if (!event.bytes) return "";
  if (event.bytes->unit_bytes <= 0) return fmt::format("# bytes unknown  {}", direction_text(event.bytes->direction));
  return fmt::format("# {:>16} bytes {:>12} MB/s  {}", with_commas(row.bytes, true), with_commas(row.mb_per_s, false),
                     direction_text(event.bytes->direction));
}

std::size_t unit_width(const StatReport& report) {
  std::size_t width = 4;
  for (const auto& event : report.events) width = std::max(width, event.unit.size());
  return width;
}

std::string slot_text(const SlotInterval& interval) {
  const auto& estimate = interval.estimate;
  if (interval.whole) return "";
  if (interval.withheld) return "  ( no estimate: counting changes the load )";
  if (estimate.confidence <= 0) return "  ( too few slots for an interval )";
  const double half = std::max(estimate.high - estimate.total, estimate.total - estimate.low);
  const std::string aliased = interval.aliased ? "  aliased" : "";
  if (estimate.total <= 0) return fmt::format("  ( 0 to {} ){}", with_commas(estimate.high, true), aliased);
  return fmt::format("  ( +- {:.2f}% ){}", 100 * half / estimate.total, aliased);
}

std::string row_text(const StatReport& report, std::size_t i, const pmu::StatRow& row) {
  const auto& event = report.events[i];
  std::string out = fmt::format("{:>{}} {:<{}} {:<{}}", count_text(event, row), kCountWidth, event.unit,
                                unit_width(report), event.name, kNameWidth);
  if (const auto metric = metric_text(event, row); !metric.empty()) out += " " + metric;
  const bool shared = row.count.running_ns > 0 && row.count.running_share < kOneHundredPercent;
  if (report.runs > 1 && row.count.state == pmu::CountState::counted)
    out += fmt::format("  ( +- {:5.2f}% )", row.deviation_percent);
  if (i < report.slots.size()) out += slot_text(report.slots[i]);
  if (shared) out += fmt::format("  ({:.2f}%)", 100 * row.count.running_share);
  if (row.count.state == pmu::CountState::lost)
    out += i < report.lost_at_s.size() && report.lost_at_s[i]
               ? fmt::format("  (lost at {:.1f} s)", *report.lost_at_s[i])
               : "  (lost)";
  return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
}

std::string elapsed_text(const StatReport& report) {
  if (report.elapsed_s.size() < 2)
    return fmt::format("{:>18.9f} seconds time elapsed\n", report.elapsed_s.empty() ? 0.0 : report.elapsed_s[0]);
  const auto mean = pmu::mean_of(report.elapsed_s);
  return fmt::format("{:>18.6f} +- {:.6f} seconds time elapsed  ( +- {:5.2f}% )\n", mean.mean, mean.deviation,
                     mean.mean > 0 ? 100 * mean.deviation / mean.mean : 0);
}

}  // namespace

std::string with_commas(double value, bool whole) {
  std::string digits = fmt::format("{:.{}f}", value, whole ? 0 : 2);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(digits.find('.'), digits.size());
  while (at > first + 3) digits.insert(at -= 3, ",");
  return digits;
}

std::string stat_notes_text(const StatReport& report) {
  std::string out;
  for (const auto& event : report.events)
    if (event.bytes) out += fmt::format("  rule: {}: {}\n", event.name, event.bytes->sentence);
  for (const auto& note : report.notes) out += fmt::format("  note: {}\n", note);
  return out.empty() ? out : "\n" + out;
}

std::string stat_interval_text(const StatReport& report, const StatInterval& interval, bool header) {
  std::string out = header ? "#           time             counts unit events\n" : "";
  for (std::size_t i = 0; i < interval.rows.size(); ++i)
    out += fmt::format("{:>16.9f} {}", interval.time_s, row_text(report, i, interval.rows[i]));
  return out;
}

std::string stat_text(const StatReport& report) {
  const std::string subject = report.system_wide || report.subject.empty() ? "system wide" : report.subject;
  std::string out = fmt::format("\n Performance counter stats for '{}'", subject);
  if (report.runs > 1) out += fmt::format(" ({} runs)", report.runs);
  out += ":\n\n";
  for (std::size_t i = 0; i < report.rows.size(); ++i) out += row_text(report, i, report.rows[i]);
  out += "\n" + elapsed_text(report);
  if (!report.system_wide && report.exit_status && report.runs == 1)
    out += fmt::format("\n{:>18.9f} seconds user\n{:>18.9f} seconds sys\n", report.user_s, report.system_s);
  return out + stat_notes_text(report) + "\n";
}

}  // namespace fathom::cli
