// The charts are those of the paging reports; the curve is that of the sweep. A percentile is drawn at N if one I/O in
// N is slower: 2 is the median, 100 the 99th. On its logarithmic axis, every additional nine has the same width.
#include "report/plots/run_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text/unit_text.h"
#include "report/compare/compare_words.h"
#include "report/paging/paging_chart.h"
#include "report/parts/derived.h"
#include "report/parts/shown.h"
#include "report/sweep/curve_chart.h"
#include "result/sums/percentiles.h"

namespace fathom::report {
namespace plots {
namespace {

constexpr double kFewest = 100;           // I/Os needed for a curve: with 100, one is above the 99th
constexpr std::size_t kFewestPoints = 2;  // points needed for a series
constexpr std::size_t kNarrowest = paging::kSeriesNarrowest;
constexpr std::size_t kCurveRows = 10;

// A subject of plots in a job: a direction, its syncs, or the values of steadystate=.
struct Subject {
  std::string name;  // "t read"
  std::string_view kind = "lat";
  result::Latency latency;
  std::vector<result::SeriesPoint> series;
  const result::SteadyState* steady = nullptr;
};

Subject subject_of(const result::Job& job, std::string_view word, const result::Direction& d) {
  const bool whole = d.lat.moments_ns.n > 0;
  return {fmt::format("{} {}", job.name, word), whole ? "lat" : "clat", whole ? d.lat : d.clat, d.series};
}

std::vector<Subject> subjects(const result::Run& run) {
  std::vector<Subject> all;
  for (const auto& job : run.jobs) {
    if (job.reporting.hidden) continue;
    for (std::size_t d = 0; d < result::kDirs && !parts::only_mixed(job); ++d)
      if (job.dirs[d].ios > 0) all.push_back(subject_of(job, parts::kDirNames[d], job.dirs[d]));
    if (job.unified)
      if (const auto mixed = parts::mixed(job); mixed.ios > 0) all.push_back(subject_of(job, "mixed", mixed));
    if (job.sync_ios > 0) all.push_back({job.name + " sync", "lat", job.sync_lat, {}});
    if (job.steady_state) all.push_back({job.name, "", {}, {}, &*job.steady_state});
  }
  return all;
}

std::string time_text(double ns) { return base::text::unit_text(ns, base::text::kTimeLive); }

std::string histogram_of(const Subject& subject, const paging::LatencyAxis& axis, const paging::ChartStyle& style) {
  const auto drawn = paging::draw_histogram("", subject.latency.histogram_ns, axis, style);
  if (drawn.empty()) return "";
  const auto title =
      fmt::format("{}: {} of {} I/Os, logarithmic counts", subject.name, subject.kind, subject.latency.moments_ns.n);
  return compare::fitted(title, "", style.width) + drawn.substr(drawn.find('\n') + 1);
}

// The label of the percentile at N: "50", "90", "99.9" for 2 and for powers of ten, otherwise empty.
std::string percentile_label(double one_of) {
  const auto is = [one_of](double value) { return std::abs(one_of - value) < 1e-6 * value; };
  if (is(2)) return "50";
  if (is(10)) return "90";
  double power = 100;
  for (std::string label = "99"; power < 2 * one_of; power *= 10, label += label.size() == 2 ? ".9" : "9")
    if (is(power)) return label;
  return "";
}

// One percentile per column of the curve, and those with a label, up to the number of I/Os.
std::vector<double> percentiles_to_draw(double ios, std::size_t columns) {
  std::vector<double> one_of = {2};
  for (double power = 10; power <= ios; power *= 10) one_of.push_back(power);
  const double step = std::log(ios / 2) / static_cast<double>(columns);
  for (std::size_t i = 1; i <= columns; ++i) one_of.push_back(2 * std::exp(step * static_cast<double>(i)));
  std::sort(one_of.begin(), one_of.end());
  return one_of;
}

std::vector<sweep::CurvePoint> points_of(const result::Latency& latency, std::size_t columns) {
  const auto one_of = percentiles_to_draw(static_cast<double>(latency.moments_ns.n), columns);
  std::vector<double> percentiles;
  for (const double n : one_of) percentiles.push_back(100 - 100 / n);
  std::vector<sweep::CurvePoint> points;
  for (const auto& [percentile, ns] : result::percentiles_of(latency, percentiles)) {
    const bool drawn = percentile >= 50 && percentile < 100;
    if (drawn) points.push_back({100 / (100 - percentile), std::max(1.0, static_cast<double>(ns))});
  }
  return points;
}

std::string curve_of(const Subject& subject, const Canvas& canvas) {
  if (static_cast<double>(subject.latency.moments_ns.n) < kFewest) return "";
  const auto points = points_of(subject.latency, canvas.width);
  if (points.empty()) return "";
  const auto [low, high] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.latency_ns < b.latency_ns; });
  const auto title = fmt::format("{}: {} by percentile", subject.name, subject.kind);
  if (low->latency_ns == high->latency_ns)
    return compare::fitted(fmt::format("{}: {} from the median on", title, time_text(low->latency_ns)), "",
                           canvas.width);
  const auto curve =
      sweep::draw_curve(points, {}, "percentile", {canvas.utf8, canvas.width, kCurveRows, percentile_label});
  return curve.empty() ? "" : compare::fitted(title, "", canvas.width) + curve;
}

std::string series_of(const Subject& subject, const Canvas& canvas) {
  std::vector<double> ios, bytes;
  std::uint64_t longest_ms = 0;
  for (const auto& point : subject.series) {
    if (point.interval_ms == 0) continue;
    const double seconds = static_cast<double>(point.interval_ms) / 1e3;
    longest_ms = std::max(longest_ms, point.interval_ms);
    ios.push_back(static_cast<double>(point.ios) / seconds);
    bytes.push_back(static_cast<double>(point.bytes) / seconds);
  }
  const auto lat_ns = subject.steady == nullptr ? std::vector<double>() : subject.steady->lat_ns;
  const auto row = [&](std::string_view name, const std::vector<double>& values, auto scale) {
    return values.size() < kFewestPoints ? "" : paging::draw_series({name, values, scale}, canvas.width, canvas.utf8);
  };
  const std::string rates = row("IOPS", ios, std::span<const base::text::UnitStep>(base::text::kRateLive)) +
                            row("bytes/s", bytes, std::span<const base::text::UnitStep>(base::text::kBytesThree));
  const auto steady = row("mean lat", lat_ns, std::span<const base::text::UnitStep>(base::text::kTimeLive));
  if (rates.empty() && steady.empty()) return "";
  return compare::fitted(subject.name + ": in time", "", canvas.width) +
         paging::series_head(longest_ms > 0 ? fmt::format("every {} ms", longest_ms) : "") + rates + steady;
}

}  // namespace

std::string drawn(const result::Run& run, const Canvas& canvas) {
  const auto all = subjects(run);
  if (all.empty()) return "";
  if (canvas.width < kNarrowest)
    return compare::fitted(
        fmt::format("no plot: {} columns are too few, at least {} are needed", canvas.width, kNarrowest), "",
        canvas.width);
  std::vector<const stats::Histogram*> histograms;
  for (const auto& subject : all) histograms.push_back(&subject.latency.histogram_ns);
  const auto axis = paging::axis_for(histograms, canvas.width);
  paging::ChartStyle style;
  style.utf8 = canvas.utf8, style.width = canvas.width;
  std::string out;
  for (const auto& subject : all)
    for (const auto& plot : {histogram_of(subject, axis, style), curve_of(subject, canvas), series_of(subject, canvas)})
      if (!plot.empty()) out.append("\n").append(plot);
  return out;
}

}  // namespace plots

std::string plot(const result::Run& run) { return plots::drawn(parts::shown(run), {}); }
std::string plot_ascii(const result::Run& run) { return plots::drawn(parts::shown(run), {false}); }

}  // namespace fathom::report
