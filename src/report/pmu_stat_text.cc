// perf stat's layout, with what a PCIe rule knows behind the name.
#include <fmt/format.h>

#include <algorithm>

#include "report/pmu_stat.h"

namespace fathom::report {
namespace {

using result::PmuRow, result::PmuStat, result::PmuState;

constexpr int kCountWidth = 18, kNameWidth = 32;
constexpr double kOneHundredPercent = 99.995;  // what is shown as 100.00
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

std::string metric_text(const PmuRow& row) {
  if (!row.has_number()) return "";
  if (row.window_percent) return fmt::format("# {:9.3f} % of the window", *row.window_percent);
  if (!row.rule) return "";
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

std::string row_text(const PmuRow& row, std::size_t unit_width, bool several_runs) {
  std::string out =
      fmt::format("{:>{}} {:<{}} {:<{}}", count_text(row), kCountWidth, row.unit, unit_width, row.event, kNameWidth);
  if (const auto metric = metric_text(row); !metric.empty()) out += " " + metric;
  if (several_runs && row.state == PmuState::counted) out += fmt::format("  ( +- {:5.2f}% )", row.deviation_percent);
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

std::string elapsed_text(const PmuStat& stat) {
  const auto [mean_s, deviation_s] = stat.elapsed_s();
  if (stat.elapsed_ns.size() < 2) return fmt::format("{:>18.9f} seconds time elapsed\n", mean_s);
  return fmt::format("{:>18.6f} +- {:.6f} seconds time elapsed  ( +- {:5.2f}% )\n", mean_s, deviation_s,
                     mean_s > 0 ? 100 * deviation_s / mean_s : 0);
}

}  // namespace

std::string with_commas(double value, bool fraction) {
  std::string digits = fmt::format("{:.{}f}", value, fraction ? 2 : 0);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(digits.find('.'), digits.size());
  while (at > first + 3) digits.insert(at -= 3, ",");
  return digits;
}

std::string pmu_stat_notes_text(const PmuStat& stat) {
  std::string out;
  for (const auto& row : stat.rows)
    if (row.rule) out += fmt::format("  rule: {}: {}\n", row.event, row.rule->sentence);
  for (const auto& note : stat.notes) out += fmt::format("  note: {}\n", note);
  return out.empty() ? out : "\n" + out;
}

std::string pmu_interval_text(const result::PmuIntervalRows& interval, std::size_t number) {
  const std::string header = number % kHeaderEvery == 0 ? "#           time             counts unit events\n" : "";
  return header +
         rows_text(interval.rows, false, fmt::format("{:>16.9f} ", static_cast<double>(interval.time_ns) / 1e9));
}

std::string pmu_stat_text(const PmuStat& stat) {
  std::string out;
  for (std::size_t i = 0; i < stat.intervals.size(); ++i) out += pmu_interval_text(stat.intervals[i], i);
  if (!stat.intervals.empty()) return out + pmu_stat_notes_text(stat);
  const std::string subject = stat.system_wide || stat.command.empty() ? "system wide" : stat.command;
  out = fmt::format("\n Performance counter stats for '{}'", subject);
  if (stat.runs > 1) out += fmt::format(" ({} runs)", stat.runs);
  out += ":\n\n" + rows_text(stat.rows, stat.runs > 1, "") + "\n" + elapsed_text(stat);
  if (!stat.system_wide && stat.ended && stat.runs == 1)
    out += fmt::format("\n{:>18.9f} seconds user\n{:>18.9f} seconds sys\n", stat.ended->user_s, stat.ended->system_s);
  return out + pmu_stat_notes_text(stat) + "\n";
}

}  // namespace fathom::report
