// The results come first, in sentences. Then come each curve's points and plot, then the findings. The table omits
// loads of the search for the limit, except its bounds. The plot has them.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.h"
#include "base/text/shell_word.h"
#include "report/compare/compare_formats.h"
#include "report/compare/compare_words.h"
#include "report/formats.h"
#include "report/parts/numbers.h"
#include "report/sweep/curve_chart.h"
#include "report/sweep/sweep_formats.h"
#include "report/sweep/sweep_words.h"

namespace fathom::report {
namespace sweep {
namespace {

using base::text::printable;
using compare::fitted;
using result::Sweep;
using result::SweptCurve;
using result::SweptPoint;

// "lat_p99 (from when an I/O was due)"
std::string latency_text(const Sweep& sweep) {
  constexpr std::string_view kIntended = "intended_";
  if (!sweep.latency.starts_with(kIntended)) return printable(sweep.latency);
  return printable(sweep.latency.substr(kIntended.size())) + " (from when an I/O was due)";
}

// The complete command, so that it can be copied. On a terminal, backslashes divide it into lines.
std::string next_command(const Sweep& sweep, const Canvas& canvas) {
  if (sweep.next.empty()) return "";
  const auto next = "next: " + printable(sweep.next);
  return (canvas.is_terminal ? base::text::command_lines(next, canvas.width) : next) + "\n";
}

std::string head(const Sweep& sweep, const Canvas& canvas, std::size_t width) {
  std::string out = fitted(what(sweep), "", width);
  if (const auto failed = failed_checks(sweep); !failed.empty()) out += fitted(failed, "", width);
  for (const auto& sentence : answers(sweep)) out += fitted(sentence, "", width);
  return out + next_command(sweep, canvas);
}

std::string table(const Sweep& sweep, const SweptCurve& curve, std::size_t width) {
  const auto names = others(sweep);
  const auto tail = [](const std::string& name) { return name.substr(name.rfind('_') + 1); };
  std::string out =
      fmt::format("\n  {:>11} {:>7} {:>5} {:>8} {:>17} {:>8} {:>8}\n", printable(sweep.load).substr(0, 11), "IOPS",
                  "kept", tail(sweep.latency), "95 % interval", tail(names[0]), tail(names[1]));
  std::size_t hidden = 0;
  for (const auto& point : curve.points) {
    if (!is_shown(point, curve)) {
      ++hidden;
      continue;
    }
    const auto* latency = number_of(point, sweep.latency);
    const auto* iops = number_of(point, "iops");
    auto label = label_of(sweep, point);
    if (label.size() > 11) out += fitted(label, "  ", width), label.clear();
    if (point.runs == 0) {
      out += fitted(fmt::format("{:>11} no numbers: {}", label, printable(point.failure)), "  ", width);
      continue;
    }
    const auto interval =
        latency == nullptr || latency->values.size() < 2
            ? std::string("one run")
            : fmt::format("{}-{}", parts::quantity_text(latency->low, "ns"), parts::quantity_text(latency->high, "ns"));
    auto line = fmt::format("  {:>11} {:>7} {:>5} {:>8} {:>17} {:>8} {:>8}  {}", label,
                            iops == nullptr ? "-" : load_text(iops->typical),
                            point.delivered_percent ? fmt::format("{:.0f}%", *point.delivered_percent) : "",
                            typical_text(latency), interval, typical_text(number_of(point, names[0])),
                            typical_text(number_of(point, names[1])), mark_of(point, curve));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  if (hidden > 0) out += fitted(fmt::format("and {} loads tried in the search for the limit", hidden), "  ", width);
  return out;
}

std::string chart(const Sweep& sweep, const SweptCurve& curve, bool utf8, std::size_t width) {
  std::vector<CurvePoint> points;
  for (const auto& point : curve.points)
    if (const auto* latency = number_of(point, sweep.latency); latency != nullptr && point.load)
      points.push_back({*point.load, latency->typical});
  CurveMarks marks;
  if (curve.knee && curve.knee->seen == "yes") marks.knee = curve.knee->load;
  if (sweep.slo_ns > 0) marks.limit_ns = sweep.slo_ns;
  const auto drawn = draw_curve(points, marks, printable(sweep.load), {utf8, width, 14});
  return drawn.empty() ? "" : fmt::format("\n{}:\n{}", latency_text(sweep), drawn);
}

std::string findings(const Sweep& sweep, std::size_t width) {
  std::string out;
  for (const auto& finding : sweep.findings) {
    const auto of = finding.runs == 0 ? std::string() : fmt::format(" (in {} of {} runs)", finding.runs, sweep.runs);
    out += fitted(fmt::format("{}{}: {}", printable(finding.id), of, printable(finding.evidence)), "", width);
  }
  return out.empty() ? "" : "\nfindings\n" + out;
}

std::size_t width_of(const Canvas& canvas) { return std::clamp(canvas.width, compare::kNarrowest, compare::kWidest); }

}  // namespace

std::string answer(const Sweep& sweep, const Canvas& canvas) { return head(sweep, canvas, width_of(canvas)); }

std::string text_of(const Sweep& sweep, const Canvas& canvas) {
  const auto width = width_of(canvas);
  std::string out = answer(sweep, canvas);
  if (sweep.load.empty()) {  // settings, one line each
    out += table(sweep, joined(sweep), width);
  } else {
    for (const auto& curve : sweep.curves) {
      if (!curve.of.empty()) out += "\n" + fitted(printable(curve.of), "", width);
      out += table(sweep, curve, width);
      if (canvas.plots) out += chart(sweep, curve, canvas.utf8, width);
    }
  }
  return out + findings(sweep, width);
}

}  // namespace sweep

std::string sweep_text(const result::Sweep& sweep) { return sweep::text_of(sweep, {}); }

}  // namespace fathom::report
