// Properties that no number of the whole run shows: a level that changes, two modes, and too few I/Os for a percentile.
// The input is the stored series and histograms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "audit/checks.h"
#include "audit/job_view.h"
#include "audit/run_findings.h"
#include "base/text/unit_text.h"
#include "result/findings/rows.h"
#include "stats/shape/modes.h"
#include "stats/shape/regimes.h"

namespace fathom::audit {
namespace {

namespace text = base::text;
using result::Effect;
using result::EffectOn;
using result::findings::found;
using stats::shape::Regime;

// Rates of the intervals. If the job is paced, medians of their latencies instead. An incomplete last interval is
// omitted.
struct Series {
  std::string measure = "rate";
  std::vector<double> values;
  double point_s = 0;
  std::string text_of(double value) const {
    return measure == "rate" ? text::unit_text(value, text::kRateLive) + " IOPS" : text::unit_text(value, text::kTime);
  }
};

Series series_of(const result::Run& run, const result::Job& job, const result::Direction& dir) {
  Series series;
  series.point_s = static_cast<double>(job.series_width_ms) / kMsOfASecond;
  if (job.rate.paced) series.measure = dir.series_latency.empty() ? "latency" : dir.series_latency + " p50";
  for (const auto& point : own_part(run, job, dir)) {
    if (job.rate.paced) {
      if (point.lat_ns_p50) series.values.push_back(static_cast<double>(*point.lat_ns_p50));
    } else {
      series.values.push_back(static_cast<double>(point.ios) * kMsOfASecond / static_cast<double>(point.interval_ms));
    }
  }
  return series;
}

double length(const Regime& part) { return static_cast<double>(part.end - part.begin); }

// The edge between the two neighbors with the largest difference.
std::size_t largest_edge(const std::vector<Regime>& parts) {
  const auto step = [&](std::size_t i) {
    return std::abs(std::log(std::max(parts[i].median, 1e-9) / std::max(parts[i - 1].median, 1e-9)));
  };
  std::size_t largest = 1;
  for (std::size_t i = 2; i < parts.size(); ++i)
    if (step(i) > step(largest)) largest = i;
  return largest;
}

void say_change(const result::Job& job, std::size_t d, const Series& series, Findings& out) {
  const auto parts = stats::shape::regimes(series.values);
  const auto begin = parts.size() == 1 ? stats::shape::warm_up(series.values) : std::nullopt;
  if (parts.size() == 1 && !begin) return;
  const auto all = static_cast<double>(series.values.size());
  if (begin) {
    const double at_s = length(*begin) * series.point_s;
    out.push_back(found("run.changed", {.variant = "warm_up",
                                        .job = job.name,
                                        .values = {{"direction", kDirNames[d]},
                                                   {"measure", series.measure},
                                                   {"before", series.text_of(begin->median)},
                                                   {"after", series.text_of(parts[0].median)},
                                                   {"at_s", at_s},
                                                   {"ramp_s", std::ceil(at_s)}},
                                        .effect = Effect{EffectOn::time, length(*begin) / all}}));
    return;
  }
  const std::size_t edge = largest_edge(parts);
  const auto longest =
      std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return length(a) < length(b); });
  const auto more = parts.size() - 2;
  out.push_back(
      found("run.changed",
            {.job = job.name,
             .values = {{"direction", kDirNames[d]},
                        {"measure", series.measure},
                        {"before", series.text_of(parts[edge - 1].median)},
                        {"after", series.text_of(parts[edge].median)},
                        {"at_s", static_cast<double>(parts[edge].begin) * series.point_s},
                        {"more",
                         more == 0 ? std::string() : fmt::format(" (and {} more time{})", more, more == 1 ? "" : "s")}},
             .effect = Effect{EffectOn::time, 1 - length(*longest) / all}}));
}

// True if the job changes its level on purpose, or its trace does. Such a change does not come from the device.
bool changes_itself(const result::Run& run, const result::Job& job) {
  return searches_depth(job) || job.replay || option(run, job, "thinktime").has_value();
}

}  // namespace

void check_level(const result::Run& run, const result::Job& job, Findings& out) {
  if (changes_itself(run, job) || job.series_width_ms == 0 || has_gaps(run, job)) return;
  for (std::size_t d = 0; d < result::kDirs; ++d)
    if (job.dirs[d].ios > 0) say_change(job, d, series_of(run, job, job.dirs[d]), out);
}

void check_steady(const result::Run&, const result::Job& job, Findings& out) {
  if (!job.steady_state || job.steady_state->attained || job.error != 0) return;
  const auto& steady = *job.steady_state;
  const auto text = [&](double value) { return fmt::format("{:.3g}{}", value, steady.percent ? " %" : ""); };
  const bool seen = steady.max_deviation != 0 || steady.slope_value != 0;  // a window was filled
  out.push_back(
      found("run.not_steady", {.job = job.name,
                               .values = {{"criterion", steady.criterion + (steady.slope ? " slope" : " deviation")},
                                          {"value", seen ? "was " + text(steady.value)
                                                         : fmt::format("was not measured, because the job ended within "
                                                                       "its first window of {} s",
                                                                       steady.duration_s)},
                                          {"limit", text(steady.limit)}},
                               .effect = Effect{EffectOn::time, 0.5}}));
}

void check_few_ios(const result::Run&, const result::Job& job, Findings& out) {
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto ios = job.dirs[d].ios;
    if (ios == 0 || job.dirs[d].runtime_ns == 0 || ios >= kFewestForP99) continue;
    const bool hardly = ios < kFewestForMedian;
    out.push_back(found("run.few_ios", {.job = job.name,
                                        .values = {{"direction", kDirNames[d]},
                                                   {"ios", fmt::format("{} I/O{}", ios, ios == 1 ? "" : "s")},
                                                   {"last_percentile",
                                                    100.0 * static_cast<double>(ios - 1) / static_cast<double>(ios)}},
                                        .effect = hardly ? std::optional(Effect{EffectOn::bytes, 1}) : std::nullopt,
                                        .severity = hardly ? result::Severity::warning : result::Severity::note}));
  }
}

void check_modes(const result::Run&, const result::Job& job, Findings& out) {
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    if (job.bs_min[d] != job.bs_max[d]) continue;  // each size has its own latency
    const auto& dir = job.dirs[d];
    const auto modes = stats::shape::two_modes(dir.lat.moments_ns.n > 0 ? dir.lat.histogram_ns : dir.clat.histogram_ns);
    if (!modes) continue;
    const auto time = [](std::uint64_t ns) { return text::unit_text(static_cast<double>(ns), text::kTime); };
    out.push_back(
        found("run.two_modes", {.job = job.name,
                                .values = {{"direction", kDirNames[d]},
                                           {"low_percent", 100 * modes->low_share},
                                           {"low", time(modes->low_ns)},
                                           {"high", time(modes->high_ns)},
                                           {"low_ns", modes->low_ns},
                                           {"high_ns", modes->high_ns}},
                                .effect = Effect{EffectOn::bytes, std::min(modes->low_share, 1 - modes->low_share)}}));
  }
}

}  // namespace fathom::audit
