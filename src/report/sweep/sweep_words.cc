// Sentences, and the names of points.
#include "report/sweep/sweep_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.h"
#include "report/parts/numbers.h"
#include "report/sweep/curve_chart.h"

namespace fathom::report::sweep {
namespace {

using base::text::printable;
using result::Sweep;
using result::SweptCurve;
using result::SweptPoint;

// All digits, because the user writes the value into a job.
std::string load_value(const Sweep& sweep, double load) {
  return fmt::format("{}={:.0f}", printable(sweep.load), load);
}

const SweptPoint* at_load(const SweptCurve& curve, double load) {
  const auto found =
      std::find_if(curve.points.begin(), curve.points.end(), [&](const auto& p) { return p.load == load; });
  return found == curve.points.end() ? nullptr : &*found;
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
                       typical_text(number_of(*point, sweep.latency)), printable(sweep.latency));
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

std::string again_sentence(const Sweep& sweep) {
  const auto& again = *sweep.again;
  const char* const found = again.beyond && sweep.repeat == 1 ? "a drift"
                            : again.beyond                    ? "a drift, larger than the scatter of runs"
                            : sweep.repeat == 1               ? "scatter unknown, one run per point"
                                                              : "no drift found";
  return fmt::format("The first point, {}, again at the end: rate {:+.1f} %, latency {:+.1f} %: {}.",
                     printable(again.setting), again.rate_percent, again.latency_percent, found);
}

}  // namespace

const result::SweptNumber* number_of(const SweptPoint& point, std::string_view name) {
  const auto found =
      std::find_if(point.numbers.begin(), point.numbers.end(), [&](const auto& n) { return n.name == name; });
  return found == point.numbers.end() ? nullptr : &*found;
}

std::string typical_text(const result::SweptNumber* number) {
  return number == nullptr ? "-" : parts::quantity_text(number->typical, number->unit);
}

std::string what(const Sweep& sweep) {
  std::vector<std::string> options;
  for (const auto& option : sweep.over) options.push_back(printable(option.name));
  std::size_t points = 0;
  for (const auto& curve : sweep.curves) points += curve.points.size();
  return fmt::format("{} over {}: {} points, {} runs{}{}", printable(sweep.job), fmt::join(options, ", "), points,
                     sweep.runs, sweep.open_loop ? ", open loop" : "", sweep.interrupted ? " (stopped early)" : "");
}

std::string failed_checks(const Sweep& sweep) {
  if (sweep.failed_runs == 0) return "";
  return fmt::format("The checks of {} of {} runs FAILED ({}): they did not measure the requested jobs.",
                     sweep.failed_runs, sweep.runs, printable(fmt::format("{}", fmt::join(sweep.failed_by, ", "))));
}

std::vector<std::string> answers(const Sweep& sweep) {
  std::vector<std::string> out;
  for (const auto& curve : sweep.curves) {
    if (curve.bracket) out.push_back(prefix_of(curve) + bracket_sentence(sweep, curve));
    if (curve.knee) out.push_back(prefix_of(curve) + knee_sentence(sweep, curve));
  }
  if (sweep.again) out.push_back(again_sentence(sweep));
  return out;
}

SweptCurve joined(const Sweep& sweep) {
  SweptCurve all;
  for (const auto& curve : sweep.curves) all.points.insert(all.points.end(), curve.points.begin(), curve.points.end());
  return all;
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

}  // namespace fathom::report::sweep
