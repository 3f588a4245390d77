// A grid of cells. A later entry overwrites an earlier one, so points are entered last.
#include "report/sweep/curve_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text/unit_text.h"

namespace fathom::report::sweep {
namespace {

constexpr std::size_t kLabel = 9;
constexpr double kWideRange = 16;  // ratio of loads from which their axis is logarithmic too

struct Axis {
  double low = 0, high = 1;
  bool logs = false;
  std::size_t cells = 1;
  double share(double value) const {
    const auto of = [&](double v) { return logs ? std::log(v) : v; };
    return high > low ? (of(value) - of(low)) / (of(high) - of(low)) : 0.5;
  }
  std::size_t cell(double value) const {
    const double at = std::clamp(share(value), 0.0, 1.0) * static_cast<double>(cells - 1);
    return static_cast<std::size_t>(std::lround(at));
  }
  double value(std::size_t cell) const {
    const double at = cells > 1 ? static_cast<double>(cell) / static_cast<double>(cells - 1) : 0.5;
    return logs ? std::exp(std::log(low) + at * (std::log(high) - std::log(low))) : low + at * (high - low);
  }
};

using Rows = std::vector<std::vector<std::string_view>>;

// Labels of loads below the axis, if they do not touch. The last one ends at the end of the line.
std::string load_line(const std::vector<CurvePoint>& points, const Axis& loads, const std::string& name,
                      std::string (*label)(double load)) {
  std::string line(kLabel + loads.cells + 8, ' ');
  std::size_t free_from = 0;
  for (const auto& point : points) {
    const auto text = label(point.load);
    if (text.empty()) continue;
    const auto at =
        std::min(kLabel + loads.cell(point.load), kLabel + loads.cells + 1 - std::min(loads.cells, text.size()));
    if (at < free_from) continue;
    line.replace(at, text.size(), text);
    free_from = at + text.size() + 1;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n" + std::string(kLabel, ' ') + name + "\n";
}

}  // namespace

std::string load_text(double load) { return base::text::unit_text(load, base::text::kRateLive); }

std::string draw_curve(const std::vector<CurvePoint>& all, const CurveMarks& marks, const std::string& load_name,
                       const CurveStyle& style) {
  std::vector<CurvePoint> points;
  for (const auto& point : all)
    if (point.load > 0 && point.latency_ns > 0) points.push_back(point);
  if (points.size() < 2 || style.width < kLabel + 20) return "";
  Axis loads{points[0].load, points[0].load, false, style.width - kLabel - 1};
  Axis latencies{points[0].latency_ns, points[0].latency_ns, true, style.height};
  for (const auto& point : points) {
    loads.low = std::min(loads.low, point.load), loads.high = std::max(loads.high, point.load);
    latencies.low = std::min(latencies.low, point.latency_ns),
    latencies.high = std::max(latencies.high, point.latency_ns);
  }
  if (marks.limit_ns)
    latencies.low = std::min(latencies.low, *marks.limit_ns),
    latencies.high = std::max(latencies.high, *marks.limit_ns);
  loads.logs = loads.high >= kWideRange * loads.low;
  Rows rows(style.height, std::vector<std::string_view>(loads.cells, " "));
  if (marks.knee)
    for (auto& row : rows) row[loads.cell(*marks.knee)] = style.utf8 ? "┊" : ":";
  if (marks.limit_ns)
    for (auto& cell : rows[latencies.cell(*marks.limit_ns)]) cell = style.utf8 ? "╌" : "-";
  for (const auto& point : points)
    rows[latencies.cell(point.latency_ns)][loads.cell(point.load)] = style.utf8 ? "●" : "o";
  std::string out;
  for (std::size_t row = style.height; row-- > 0;) {
    const bool labelled = row % 3 == 0 || row + 1 == style.height;
    std::string line =
        fmt::format("{:>8}", labelled ? base::text::unit_text(latencies.value(row), base::text::kTimeColumn) : "");
    line += style.utf8 ? "┤" : "|";
    for (const auto cell : rows[row]) line += cell;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  out += std::string(kLabel - 1, ' ') + (style.utf8 ? "└" : "+");
  for (std::size_t i = 0; i < loads.cells; ++i) out += style.utf8 ? "─" : "-";
  return out + "\n" + load_line(points, loads, load_name, style.label == nullptr ? load_text : style.label);
}

}  // namespace fathom::report::sweep
