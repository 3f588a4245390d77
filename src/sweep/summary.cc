// A point contains all runs of a setting, regardless of their stage, except the repetition at the end. The stage of its
// first run is that of the point.
#include "sweep/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "result/findings/rows.h"
#include "stats/comparison/student.h"
#include "stats/repeat.h"
#include "sweep/next.h"

namespace fathom::sweep {
namespace {

constexpr double kSeenDrift = 0.02;  // a smaller drift is not reported
constexpr double kDelivered_percent = 98;

struct PointRuns {
  Step step;
  std::vector<const Outcome*> good;
  std::uint64_t failed = 0;
  std::string failure, results;
};

// In ascending order of loads. A point without a load comes first.
std::vector<PointRuns> points_of(const Sweep& sweep, std::size_t curve) {
  std::vector<PointRuns> points;
  for (const auto& done : sweep.history()) {
    const Step& step = done.step;
    const Outcome& outcome = done.outcome;
    if (step.curve != curve || step.stage == Stage::again) continue;
    const auto same = [&](const PointRuns& point) { return point.step.setting == step.setting; };
    auto point = std::find_if(points.begin(), points.end(), same);
    if (point == points.end()) point = points.insert(points.end(), PointRuns{step, {}, 0, {}, outcome.results});
    if (outcome.failure.empty()) {
      point->good.push_back(&outcome);
    } else if (point->failed++ == 0) {
      point->failure = outcome.failure;
    }
  }
  std::stable_sort(points.begin(), points.end(), [](const PointRuns& a, const PointRuns& b) {
    return a.step.load && b.step.load ? *a.step.load < *b.step.load : a.step.load.has_value() < b.step.load.has_value();
  });
  return points;
}

result::SweptPoint point_of(const PointRuns& runs, const std::vector<compare::Metric>& metrics) {
  result::SweptPoint point;
  point.setting = text_of(runs.step.setting);
  point.load = runs.step.load;
  point.stage = name(runs.step.stage);
  point.runs = runs.good.size();
  point.failed = runs.failed, point.failure = runs.failure, point.results = runs.results;
  std::vector<double> delivered;
  for (const auto* run : runs.good) {
    if (run->delivered_percent) delivered.push_back(*run->delivered_percent);
    point.ios += run->ios;
    if (run->steady) ++(*run->steady ? point.steady : point.not_steady);
  }
  if (!delivered.empty()) point.delivered_percent = stats::summarize(delivered).mean;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    result::SweptNumber number;
    for (const auto* run : runs.good)
      if (run->numbers[i]) number.values.push_back(*run->numbers[i]);
    if (number.values.empty()) continue;
    number.name = metrics[i].name, number.unit = metrics[i].unit();
    double logs = 0;
    for (const double value : number.values) logs += std::log(value);
    number.typical = std::exp(logs / static_cast<double>(number.values.size()));
    const auto interval = stats::summarize(number.values);
    number.low = interval.ci95_low, number.high = interval.ci95_high;
    point.numbers.push_back(std::move(number));
  }
  return point;
}

// True if the depth has no effect: the engine issued one I/O at a time in all runs with a requested depth above 1.
bool has_no_effect(const Sweep& sweep) {
  bool any = false;
  for (const auto& done : sweep.history()) {
    if (!done.step.load || *done.step.load <= 1 || !done.outcome.failure.empty()) continue;
    const auto& findings = done.outcome.findings;
    const bool one_at_a_time = std::any_of(findings.begin(), findings.end(),
                                           [](const auto& finding) { return finding.first == "delivery.synchronous"; });
    if (!one_at_a_time) return false;
    any = true;
  }
  return any;
}

// In a closed loop, a higher depth gives a higher rate. If the device is at its limit, it gives a longer wait instead.
// If neither increases, the job limits itself (thinktime, rate_iops), and an apparent knee is scatter.
bool is_flat(const result::SweptCurve& curve, const std::string& latency) {
  const auto [least, most] = ends_of(curve, latency);
  return rate_stays(curve) && least.number > 0 && most.number < std::sqrt(most.load / least.load) * least.number;
}

std::optional<result::SweptKnee> swept_knee(const Sweep& sweep, std::size_t curve) {
  if (!sweep.asked().load) return std::nullopt;
  const auto [knee, load] = knee_of(sweep, curve);
  constexpr const char* kSeen[] = {"no points", "at the lowest load", "at the highest load", "yes"};
  return result::SweptKnee{kSeen[static_cast<int>(knee.seen)],
                           load,
                           knee.low,
                           knee.high,
                           knee.open_below,
                           knee.open_above,
                           knee.scatter_known};
}

std::optional<result::SweptEnd> end_of(const std::optional<stats::loads::SloEnd>& end, double limit_ns) {
  if (!end) return std::nullopt;
  result::SweptEnd out;
  out.load = end->load, out.shown = end->shown, out.runs = end->over.size();
  if (end->over.empty()) return out;
  std::vector<double> values;
  double logs = 0;
  for (const double over : end->over) values.push_back(limit_ns * std::exp(over)), logs += over;
  out.typical_ns = limit_ns * std::exp(logs / static_cast<double>(values.size()));
  const auto interval = stats::summarize(values);
  out.low_ns = interval.ci95_low, out.high_ns = interval.ci95_high;
  return out;
}

std::optional<result::SweptBracket> bracket_of(const Sweep& sweep, std::size_t curve) {
  const auto* search = sweep.search_of(curve);
  if (search == nullptr) return std::nullopt;
  const auto bracket = search->bracket();
  const double limit_ns = sweep.asked().slo->limit_ns;
  result::SweptBracket out{end_of(bracket.meets, limit_ns), end_of(bracket.misses, limit_ns), bracket.ended, {}};
  if (bracket.narrow()) out.width_percent = 100 * (bracket.misses->load / bracket.meets->load - 1);
  return out;
}

// The scatter of one number over all runs of the grid, around the typical value of each point. A linear trend in the
// order of the runs is removed: the caller looks for that trend.
struct Scatter {
  double squares = 0, products = 0, across = 0, degrees = -1;
  void add(const std::vector<double>& places, const std::vector<double>& logs) {
    const auto n = static_cast<double>(logs.size());
    double place = 0, mean = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) place += places[i] / n, mean += logs[i] / n;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      squares += (logs[i] - mean) * (logs[i] - mean), across += (places[i] - place) * (places[i] - place);
      products += (logs[i] - mean) * (places[i] - place);
    }
    if (!logs.empty()) degrees += n - 1;
  }
  double deviation() const {
    const double trend = across > 0 ? products * products / across : 0;
    return degrees > 0 ? std::sqrt(std::max(squares - trend, 0.0) / degrees) : 0;
  }
};

// ln(now / then), and whether it exceeds the scatter of the runs. With one run per point, the scatter is unknown. Then
// `much` is a ratio that runs of one point do not reach by chance.
std::pair<double, bool> change(const Sweep& sweep, const Done& last, double (*number)(const Outcome&), double much) {
  struct Runs {
    std::vector<double> places, logs;
  };
  std::map<std::string, Runs> points;
  for (std::size_t i = 0; i < sweep.history().size(); ++i) {
    const auto& [step, outcome] = sweep.history()[i];
    if (step.stage != Stage::grid || !outcome.failure.empty()) continue;
    auto& runs = points[text_of(step.setting)];
    runs.places.push_back(static_cast<double>(i)), runs.logs.push_back(std::log(number(outcome)));
  }
  Scatter scatter;
  for (const auto& [setting, runs] : points) scatter.add(runs.places, runs.logs);
  const auto& first = points[text_of(last.step.setting)].logs;
  if (first.empty()) return {0, false};
  const auto n = static_cast<double>(first.size());
  const double difference = std::log(number(last.outcome)) - std::accumulate(first.begin(), first.end(), 0.0) / n;
  if (scatter.degrees <= 0) return {difference, std::abs(difference) > std::log(much)};
  const double t = stats::comparison::student_quantile(0.95, scatter.degrees);
  const double bound = std::max(t * scatter.deviation() * std::sqrt(1 + 1 / n), kSeenDrift);
  return {difference, std::abs(difference) > bound};
}

std::optional<result::SweptAgain> again_of(const Sweep& sweep) {
  if (sweep.history().empty()) return std::nullopt;
  const auto& last = sweep.history().back();
  if (last.step.stage != Stage::again || !last.outcome.failure.empty()) return std::nullopt;
  const auto rate = change(
      sweep, last, [](const Outcome& outcome) { return std::max(outcome.iops, 1e-9); }, 1.5);
  const auto latency = change(
      sweep, last, [](const Outcome& outcome) { return *outcome.numbers[0]; }, 4);
  return result::SweptAgain{text_of(last.step.setting), 100 * std::expm1(rate.first), 100 * std::expm1(latency.first),
                            (rate.second && !sweep.asked().open_loop) || latency.second};
}

void add_run_findings(const Sweep& sweep, std::vector<result::SweptFinding>& findings) {
  for (const auto& done : sweep.history())
    for (std::size_t i = 0; i < done.outcome.findings.size(); ++i) {
      const std::string& id = done.outcome.findings[i].first;
      const std::string& evidence = done.outcome.findings[i].second;
      const auto seen_before =
          std::any_of(done.outcome.findings.begin(), done.outcome.findings.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const auto& other) { return other.first == id; });
      if (seen_before) continue;
      auto found =
          std::find_if(findings.begin(), findings.end(), [&](const auto& f) { return f.runs > 0 && f.id == id; });
      if (found == findings.end()) found = findings.insert(findings.end(), {id, evidence, 0});
      ++found->runs;
    }
}

// Random start times give slightly more or fewer I/Os than the rate in any interval. This is chance, and does not mean
// that the job fell behind.
bool is_behind(const result::SweptPoint& point) {
  if (!point.delivered_percent || point.ios == 0) return false;
  const double drawn_percent = 3 * 100 / std::sqrt(static_cast<double>(point.ios));
  return *point.delivered_percent < std::min(kDelivered_percent, 100 - drawn_percent);
}

void add_own_findings(const result::Sweep& out, const Sweep& sweep, std::vector<result::SweptFinding>& findings) {
  const auto add = [&](const char* id, std::vector<result::FindingValue> values) {
    findings.push_back({id, result::findings::found(id, {.values = std::move(values)}).evidence, 0});
  };
  const auto& latency = sweep.asked().metrics[0];
  if (out.open_loop && latency.latency != "intended_lat") add("sweep.latency", {{"latency", latency.name}});
  if (out.again && out.again->beyond)
    add("sweep.drift", {{"setting", out.again->setting},
                        {"rate_percent", out.again->rate_percent},
                        {"latency_percent", out.again->latency_percent}});
  std::uint64_t not_steady = 0, failed = 0, behind = 0;
  for (const auto& curve : out.curves)
    for (const auto& point : curve.points) {
      not_steady += point.not_steady, failed += point.failed;
      behind += is_behind(point) ? 1 : 0;
    }
  if (not_steady > 0) add("sweep.not_steady", {{"runs", not_steady}});
  if (failed > 0) add("sweep.failed", {{"runs", failed}});
  if (behind > 0 && out.open_loop) add("sweep.saturated", {{"points", behind}, {"least_percent", kDelivered_percent}});
  // Loads are whole numbers, so neighbors cannot be closer. Bounds up to 2 further apart than requested are accepted.
  for (const auto& curve : out.curves)
    if (curve.bracket && curve.bracket->ended && curve.bracket->width_percent &&
        curve.bracket->misses->load - curve.bracket->meets->load > 2 + sweep.asked().width * curve.bracket->meets->load)
      add("sweep.wide",
          {{"width_percent", *curve.bracket->width_percent}, {"requested_percent", 100 * sweep.asked().width}});
}

}  // namespace

result::Sweep summary_of(const Sweep& sweep, std::string program, std::string job, bool interrupted) {
  const auto& asked = sweep.asked();
  result::Sweep out;
  out.program = std::move(program), out.job = std::move(job), out.interrupted = interrupted;
  for (const auto& axis : asked.axes) out.over.push_back({axis.option, axis.values});
  if (asked.load) out.load = asked.axes[*asked.load].option;
  out.open_loop = asked.open_loop;
  out.latency = asked.metrics[0].name;
  if (asked.slo) out.slo = asked.slo->written, out.slo_ns = asked.slo->limit_ns;
  out.repeat = asked.repeat, out.runs = sweep.history().size();
  for (std::size_t i = 0; i < sweep.curves(); ++i) {
    result::SweptCurve curve;
    curve.of = text_of(sweep.setting_of(i));
    for (const auto& runs : points_of(sweep, i)) curve.points.push_back(point_of(runs, asked.metrics));
    curve.knee = swept_knee(sweep, i), curve.bracket = bracket_of(sweep, i);
    out.curves.push_back(std::move(curve));
  }
  for (auto& curve : out.curves)
    if (!asked.open_loop && curve.knee && curve.knee->seen != "no points" && is_flat(curve, out.latency))
      curve.knee = result::SweptKnee{.seen = "flat"};
  if (out.load == "iodepth" && has_no_effect(sweep))
    for (auto& curve : out.curves) {
      curve.bracket.reset();
      if (curve.knee) curve.knee = result::SweptKnee{.seen = "no effect"};
    }
  std::set<std::string> failed_by;
  for (const auto& done : sweep.history()) {
    out.failed_runs += done.outcome.failed_by.empty() ? 0 : 1;
    failed_by.insert(done.outcome.failed_by.begin(), done.outcome.failed_by.end());
  }
  out.failed_by.assign(failed_by.begin(), failed_by.end());
  out.again = again_of(sweep);
  add_own_findings(out, sweep, out.findings);
  add_run_findings(sweep, out.findings);
  return out;
}

}  // namespace fathom::sweep
