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

namespace fathom::report {
namespace sweep {
namespace {

using base::text::printable;
using compare::fitted;
using result::Sweep;
using result::SweptCurve;
using result::SweptPoint;

const result::SweptNumber* number_of(const SweptPoint& point, std::string_view name) {
  const auto found =
      std::find_if(point.numbers.begin(), point.numbers.end(), [&](const auto& n) { return n.name == name; });
  return found == point.numbers.end() ? nullptr : &*found;
}

std::string quantity(const result::SweptNumber* number) {
  return number == nullptr ? "-" : parts::quantity_text(number->typical, number->unit);
}

// All digits, because the user writes the value into a job.
std::string load_value(const Sweep& sweep, double load) {
  return fmt::format("{}={:.0f}", printable(sweep.load), load);
}

const SweptPoint* at_load(const SweptCurve& curve, double load) {
  const auto found =
      std::find_if(curve.points.begin(), curve.points.end(), [&](const auto& p) { return p.load == load; });
  return found == curve.points.end() ? nullptr : &*found;
}

// "lat_p99 (from when an I/O was due)"
std::string latency_text(const Sweep& sweep) {
  constexpr std::string_view kIntended = "intended_";
  if (!sweep.latency.starts_with(kIntended)) return printable(sweep.latency);
  return printable(sweep.latency.substr(kIntended.size())) + " (from when an I/O was due)";
}

std::string what(const Sweep& sweep) {
  std::vector<std::string> options;
  for (const auto& option : sweep.over) options.push_back(printable(option.name));
  std::size_t points = 0;
  for (const auto& curve : sweep.curves) points += curve.points.size();
  return fmt::format("{} over {}: {} points, {} runs{}{}", printable(sweep.job), fmt::join(options, ", "), points,
                     sweep.runs, sweep.open_loop ? ", open loop" : "", sweep.interrupted ? " (stopped early)" : "");
}

std::string prefix_of(const SweptCurve& curve) { return curve.of.empty() ? "" : printable(curve.of) + ": "; }

std::string knee_sentence(const Sweep& sweep, const SweptCurve& curve) {
  const auto& knee = *curve.knee;
  if (knee.seen != "yes") {
    if (knee.seen == "no points") return "no knee: no run has numbers.";
    if (knee.seen == "no effect")
      return fmt::format("no knee: {}= has no effect, the engine does one I/O at a time.", printable(sweep.load));
    if (knee.seen == "flat")
      return fmt::format(
          "no knee: a higher {}= changes neither rate nor latency; the job limits itself (thinktime, rate).",
          printable(sweep.load));
    return fmt::format("no knee found: the highest rate for its latency is {}, {}.", printable(knee.seen),
                       load_value(sweep, knee.load));
  }
  const auto* point = at_load(curve, knee.load);
  std::string out =
      fmt::format("the knee is at {}, between {}{:.0f} and {:.0f}{}", load_value(sweep, knee.load),
                  knee.open_below ? "at most " : "", knee.low, knee.high, knee.open_above ? " at least" : "");
  if (point != nullptr)
    out += fmt::format(": {} IOPS at {} of {}",
                       load_text(number_of(*point, "iops") ? number_of(*point, "iops")->typical : 0),
                       quantity(number_of(*point, sweep.latency)), printable(sweep.latency));
  return out + (knee.scatter_known ? "." : " (one run per load: scatter unknown).");
}

std::string end_text(const Sweep& sweep, const result::SweptEnd& end, const char* does) {
  const auto ns = [](double value) { return parts::quantity_text(value, "ns"); };
  return fmt::format("{} {} it ({}, {} to {}, {} fresh runs)", load_value(sweep, end.load), does, ns(end.typical_ns),
                     ns(end.low_ns), ns(end.high_ns), end.runs);
}

std::string bracket_sentence(const Sweep& sweep, const SweptCurve& curve) {
  const auto& bracket = *curve.bracket;
  const auto limit = printable(sweep.slo);
  const bool meets = bracket.meets && bracket.meets->shown, misses = bracket.misses && bracket.misses->shown;
  if (!bracket.ended) return fmt::format("{}: not found before the sweep was stopped, or its runs failed.", limit);
  if (meets && misses)
    return fmt::format("{}: {}, and {}: {:.1f} % apart.", limit, end_text(sweep, *bracket.meets, "meets"),
                       end_text(sweep, *bracket.misses, "misses"), bracket.width_percent.value_or(0));
  if (meets)
    return fmt::format("{}: {}; no higher load tried is shown to miss the limit.", limit,
                       end_text(sweep, *bracket.meets, "meets"));
  if (misses)
    return fmt::format("{}: {}; no lower load tried is shown to meet the limit.", limit,
                       end_text(sweep, *bracket.misses, "misses"));
  return fmt::format("{}: inconclusive: runs scatter more than the loads differ; make the runs longer.", limit);
}

// The complete command, so that it can be copied. On a terminal, backslashes divide it into lines.
std::string next_command(const Sweep& sweep, const Canvas& canvas) {
  if (sweep.next.empty()) return "";
  const auto next = "next: " + printable(sweep.next);
  return (canvas.is_terminal ? base::text::command_lines(next, canvas.width) : next) + "\n";
}

std::string head(const Sweep& sweep, const Canvas& canvas, std::size_t width) {
  std::string out = fitted(what(sweep), "", width);
  if (sweep.failed_runs > 0)
    out += fitted(
        fmt::format("The checks of {} of {} runs FAILED ({}): they did not measure the requested jobs.",
                    sweep.failed_runs, sweep.runs, printable(fmt::format("{}", fmt::join(sweep.failed_by, ", ")))),
        "", width);
  for (const auto& curve : sweep.curves) {
    if (curve.bracket) out += fitted(prefix_of(curve) + bracket_sentence(sweep, curve), "", width);
    if (curve.knee) out += fitted(prefix_of(curve) + knee_sentence(sweep, curve), "", width);
  }
  if (sweep.again)
    out += fitted(fmt::format("The first point, {}, again at the end: rate {:+.1f} %, latency {:+.1f} %: {}.",
                              printable(sweep.again->setting), sweep.again->rate_percent, sweep.again->latency_percent,
                              sweep.again->beyond && sweep.repeat == 1 ? "a drift"
                              : sweep.again->beyond                    ? "a drift, larger than the scatter of runs"
                              : sweep.repeat == 1                      ? "scatter unknown, one run per point"
                                                                       : "no drift found"),
                  "", width);
  return out + next_command(sweep, canvas);
}

bool is_shown(const SweptPoint& point, const SweptCurve& curve) {
  if (point.stage != "search" && point.stage != "confirmed") return true;
  const auto is = [&](const std::optional<result::SweptEnd>& end) { return end && point.load == end->load; };
  return curve.bracket && (is(curve.bracket->meets) || is(curve.bracket->misses));
}

std::string mark_of(const SweptPoint& point, const SweptCurve& curve) {
  if (!point.load) return "";
  if (curve.knee && curve.knee->seen == "yes" && curve.knee->load == *point.load) return "knee";
  if (!curve.bracket) return "";
  const auto is = [&](const std::optional<result::SweptEnd>& end) {
    return end && end->shown && end->load == *point.load;
  };
  return is(curve.bracket->meets) ? "meets" : is(curve.bracket->misses) ? "misses" : "";
}

// The first two of lat_p50, lat_p99 and lat_p99.9 that are not the sweep's latency.
std::vector<std::string> others(const Sweep& sweep) {
  const auto has_due = [&](const SweptPoint& point) {
    return std::any_of(point.numbers.begin(), point.numbers.end(),
                       [](const auto& number) { return number.name.starts_with("intended_"); });
  };
  const bool paced = std::any_of(sweep.curves.begin(), sweep.curves.end(), [&](const SweptCurve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(), has_due);
  });
  const std::string begin = paced ? "intended_" : "";
  std::vector<std::string> names;
  for (const char* name : {"lat_p50", "lat_p99", "lat_p99.9"})
    if (begin + name != sweep.latency && names.size() < 2) names.push_back(begin + name);
  return names;
}

std::string label_of(const Sweep& sweep, const SweptPoint& point) {
  const bool unloaded = !sweep.load.empty() && !point.load;
  if (unloaded) return "no rate";
  return point.load ? fmt::format("{:.0f}", *point.load)
                    : printable(point.setting.empty() ? "as it is" : point.setting);
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
    auto line = fmt::format(
        "  {:>11} {:>7} {:>5} {:>8} {:>17} {:>8} {:>8}  {}", label, iops == nullptr ? "-" : load_text(iops->typical),
        point.delivered_percent ? fmt::format("{:.0f}%", *point.delivered_percent) : "", quantity(latency), interval,
        quantity(number_of(point, names[0])), quantity(number_of(point, names[1])), mark_of(point, curve));
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
    SweptCurve all;
    for (const auto& curve : sweep.curves)
      all.points.insert(all.points.end(), curve.points.begin(), curve.points.end());
    out += table(sweep, all, width);
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
