// What no number of the whole run can show: a level that changes, times in which nothing happened, two modes, and so few
// I/Os that a percentile is one of them. From the stored series and histograms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "audit/checks.h"
#include "audit/job_view.h"
#include "audit/run_findings.h"
#include "base/text/parse.h"
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

constexpr double kMsOfASecond = 1000, kNsOfASecond = 1e9;

// Rates of the intervals, or, where the rate is given, medians of their latencies. A last interval that is cut short is
// left out.
struct Series {
  std::string measure = "rate";
  std::vector<double> values;
  double point_s = 0;
  std::string text_of(double value) const {
    return measure == "rate" ? text::unit_text(value, text::kRateLive) + " IOPS" : text::unit_text(value, text::kTime);
  }
};

bool is_whole(const result::SeriesPoint& point, const result::Job& job) {
  return 2 * point.interval_ms > job.series_width_ms;
}

using Points = std::vector<result::SeriesPoint>;

// Of a job that reads back what it wrote, each direction has its own part of the time, and of one that ends with a sync
// nothing ends while it lasts. The intervals in which a part begins and ends belong to it in part only.
Points own_part(const result::Run& run, const result::Job& job, const result::Direction& dir) {
  const auto has_ios = [](const result::SeriesPoint& point) { return point.ios > 0; };
  const bool in_phases = job.read_back_ns > 0;
  const bool ends_in_sync = is_on(run, job, "end_fsync") || is_on(run, job, "fsync_on_close");
  auto begin = dir.series.begin(), end = dir.series.end();
  if (in_phases || ends_in_sync) {
    end = std::find_if(dir.series.rbegin(), dir.series.rend(), has_ios).base();
    if (end != dir.series.end() && end != begin) --end;
  }
  if (in_phases) {
    const auto first = std::find_if(begin, end, has_ios);
    begin = first == begin || first == end ? first : std::next(first);
  }
  Points points;
  std::copy_if(begin, end, std::back_inserter(points), [&](const auto& point) { return is_whole(point, job); });
  return points;
}

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

// The edge between the two neighbours that differ most.
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

bool searches_depth(const result::Job& job) { return job.latency_target.target_ns > 0; }

// What the job does on purpose is no change of what it measures.
bool changes_itself(const result::Run& run, const result::Job& job) {
  return searches_depth(job) || option(run, job, "thinktime").has_value();
}

// A time without I/Os that the job may have made itself.
double own_gap_s(const result::Run& run, const result::Job& job) {
  constexpr double kPauses = 3;  // one, and what it had to wait for before and after
  constexpr std::uint64_t kUnit_ns = 1000;
  const auto thinktime = option(run, job, "thinktime");
  if (!thinktime) return 0;
  const auto pause_ns = base::text::parse_duration_ns(*thinktime, kUnit_ns);
  return pause_ns ? kPauses * static_cast<double>(*pause_ns) / kNsOfASecond : std::numeric_limits<double>::infinity();
}

using IosAt = std::map<std::uint64_t, std::uint64_t>;  // by the interval's end

std::uint64_t usual_ios(const IosAt& ios_at) {
  std::vector<std::uint64_t> some;
  some.reserve(ios_at.size());
  for (const auto& [at, n] : ios_at)
    if (n > 0) some.push_back(n);
  if (some.empty()) return 0;
  const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
  std::nth_element(some.begin(), middle, some.end());
  return *middle;
}

struct Stopped {
  double run_s = 0, stopped_s = 0, longest_s = 0, at_s = 0;
};

// Intervals in which hardly any I/O of any direction ended, of a job that usually has many in each.
Stopped stopped_time(const result::Run& run, const result::Job& job) {
  IosAt ios_at;
  for (const auto& dir : job.dirs)
    for (const auto& point : own_part(run, job, dir)) ios_at[point.time_ms] += point.ios;
  const double point_s = static_cast<double>(job.series_width_ms) / kMsOfASecond;
  Stopped stopped;
  stopped.run_s = static_cast<double>(ios_at.size()) * point_s;
  const auto usual = static_cast<double>(usual_ios(ios_at));
  if (usual < kFewestIosOfAnInterval) return stopped;
  const double own_s = own_gap_s(run, job);
  double gap_s = 0, now_s = 0;
  const auto end_gap = [&] {
    if (gap_s > own_s) stopped.stopped_s += gap_s;
    if (gap_s > std::max(own_s, stopped.longest_s))
      stopped.longest_s = gap_s, stopped.at_s = std::max(0.0, now_s - gap_s);
    gap_s = 0;
  };
  for (const auto& [at, n] : ios_at) {
    if (static_cast<double>(n) > kHardlyAnyIos * usual)
      end_gap();
    else
      gap_s += point_s;
    now_s = static_cast<double>(at) / kMsOfASecond;
  }
  end_gap();
  return stopped;
}

// A change to nothing and back is a stop.
bool is_much(const Stopped& stopped) {
  return stopped.stopped_s > 0 && stopped.stopped_s >= kStoppedShareOfARun * stopped.run_s;
}

bool keeps_rate(const result::Job& job) {
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    const double s = static_cast<double>(dir.runtime_ns) / kNsOfASecond;
    if (static_cast<double>(dir.ios) < kRateKept * job.rate.asked_iops[d] * s) return false;
    if (static_cast<double>(dir.bytes) < kRateKept * job.rate.asked_bytes_per_s[d] * s) return false;
  }
  return true;
}

// Of a paced job, which catches up afterwards.
void say_late_io(const result::Run& run, const result::Job& job, Findings& out) {
  if (option(run, job, "thinktime") || !keeps_rate(job)) return;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    const auto run_ns = static_cast<double>(dir.runtime_ns);
    const auto longest_ns = static_cast<double>(dir.start_delay.moments_ns.max);
    if (dir.start_delay.moments_ns.n == 0 || run_ns < kShortestRun_s * kNsOfASecond ||
        longest_ns < kStoppedShareOfARun * run_ns)
      continue;
    out.push_back(found("run.stopped", {.variant = "late",
                                        .job = job.name,
                                        .values = {{"direction", kDirNames[d]},
                                                   {"longest", text::unit_text(longest_ns, text::kTime)},
                                                   {"longest_ns", longest_ns},
                                                   {"run_s", run_ns / kNsOfASecond}},
                                        .effect = Effect{EffectOn::time, std::min(1.0, longest_ns / run_ns)}}));
  }
}

void say_long_io(const result::Job& job, Findings& out) {
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    const auto& lat = dir.lat.moments_ns.n > 0 ? dir.lat : dir.clat;
    const auto run_ns = static_cast<double>(dir.runtime_ns);
    const auto longest_ns = static_cast<double>(lat.moments_ns.max);
    if (lat.moments_ns.n == 0 || run_ns < kShortestRun_s * kNsOfASecond || longest_ns < kStoppedShareOfARun * run_ns)
      continue;
    out.push_back(found("run.stopped", {.variant = "io",
                                        .job = job.name,
                                        .values = {{"direction", kDirNames[d]},
                                                   {"longest", text::unit_text(longest_ns, text::kTime)},
                                                   {"longest_ns", longest_ns},
                                                   {"run_s", run_ns / kNsOfASecond}},
                                        .effect = Effect{EffectOn::time, std::min(1.0, longest_ns / run_ns)}}));
  }
}

}  // namespace

void check_level(const result::Run& run, const result::Job& job, Findings& out) {
  if (changes_itself(run, job) || job.series_width_ms == 0 || is_much(stopped_time(run, job))) return;
  for (std::size_t d = 0; d < result::kDirs; ++d)
    if (job.dirs[d].ios > 0) say_change(job, d, series_of(run, job, job.dirs[d]), out);
}

void check_stopped(const result::Run& run, const result::Job& job, Findings& out) {
  if (searches_depth(job)) return;
  const Stopped stopped = stopped_time(run, job);
  if (!is_much(stopped)) {
    const auto before = out.size();
    say_long_io(job, out);
    if (out.size() == before) say_late_io(run, job, out);
    return;
  }
  // A sync that took as long is what the job waited for.
  const double sync_s = static_cast<double>(job.sync_lat.moments_ns.max) / kNsOfASecond;
  const bool by_sync = job.sync_ios > 0 && sync_s >= stopped.longest_s;
  out.push_back(found("run.stopped", {.variant = by_sync ? "sync" : "",
                                      .job = job.name,
                                      .values = {{"stopped_s", stopped.stopped_s},
                                                 {"sync_s", sync_s},
                                                 {"run_s", stopped.run_s},
                                                 {"stopped_percent", 100 * stopped.stopped_s / stopped.run_s},
                                                 {"at_s", stopped.at_s}},
                                      .effect = Effect{EffectOn::time, stopped.stopped_s / stopped.run_s}}));
}

void check_steady(const result::Run&, const result::Job& job, Findings& out) {
  if (!job.steady_state || job.steady_state->attained || job.error != 0) return;
  const auto& steady = *job.steady_state;
  const auto text = [&](double value) { return fmt::format("{:.3g}{}", value, steady.percent ? " %" : ""); };
  const bool seen = steady.max_deviation != 0 || steady.slope_value != 0;  // of a window that was filled
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
