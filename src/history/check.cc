// From the points of a job to its series.
#include "history/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/nearest.h"

namespace fathom::history {
namespace {

using result::HistoryChange, result::HistorySeries, result::HistoryState;

struct Values {
  std::vector<double> values;
  std::vector<const Point*> points;
};

Values values_of(const std::vector<Point>& points, const std::string& direction, std::size_t metric) {
  Values out;
  for (const auto& point : points) {
    const auto& value = point.numbers[metric];
    if (!point.fit || point.direction != direction || !value || !(*value > 0)) continue;
    out.values.push_back(*value);
    out.points.push_back(&point);
  }
  return out;
}

base::Expected<std::vector<result::HistoryDifference>> differences(Store& store, std::uint64_t before,
                                                                   std::uint64_t after) {
  const auto a = store.facts_of(before), b = store.facts_of(after);
  if (!a) return a.error();
  if (!b) return b.error();
  std::vector<result::HistoryDifference> out;
  const auto add = [&](std::string_view name, const std::string& x, const std::string& y) {
    if (x != y) out.push_back({std::string(name), x, y});
  };
  add("workload", a->workload, b->workload);
  for (std::size_t i = 0; i < kFacts.size(); ++i) add(kFacts[i], a->environment[i], b->environment[i]);
  return out;
}

HistoryChange change_of(const stats::changes::ChangePoint& point, const Values& values, bool more_is_better) {
  const auto& before = *values.points[point.at - 1];
  const auto& after = *values.points[point.at];
  return {.before_id = before.run,
          .id = after.run,
          .before_epoch_ms = before.time_epoch_ms,
          .time_epoch_ms = after.time_epoch_ms,
          .before_runs = point.at - point.begin,
          .runs = point.end - point.at,
          .before = point.before,
          .after = point.after,
          .percent = 100 * point.change(),
          .t = point.t,
          .degrees = point.degrees,
          .p = point.p,
          .worse = (point.change() < 0) == more_is_better,
          .differences = {}};
}

base::Expected<HistorySeries> series_of(Store& store, const CheckAsked& asked, const Values& values,
                                        const Metric& metric) {
  HistorySeries series;
  series.metric = metric.name, series.unit = metric.unit, series.more_is_better = metric.more_is_better;
  series.runs = values.values.size();
  series.first_id = values.points.front()->run, series.last_id = values.points.back()->run;
  const auto found = stats::changes::change_points(
      values.values, {.most_p = asked.most_p, .least_change = asked.least_change_percent / 100});
  for (const auto& point : found) {
    auto change = change_of(point, values, metric.more_is_better);
    auto differing = differences(store, change.before_id, change.id);
    if (!differing) return differing.error();
    change.differences = std::move(*differing);
    series.changes.push_back(std::move(change));
  }
  series.typical = found.empty() ? stats::changes::median_of(values.values) : found.back().after;
  series.state = series.runs < stats::changes::kFewestToJudge ? HistoryState::too_few
                 : found.empty()                              ? HistoryState::no_change
                 : series.changes.back().worse                ? HistoryState::worse
                                                              : HistoryState::better;
  return series;
}

base::Expected<void> add_job(Store& store, const CheckAsked& asked, const std::string& job,
                             std::set<std::uint64_t>& unfit, result::HistoryCheck& out) {
  const auto points = store.points(job, asked.filter, asked.since_epoch_ms);
  if (!points) return points.error();
  std::set<std::string> directions;
  for (const auto& point : *points) {
    if (!point.fit) unfit.insert(point.run);
    if (asked.direction.empty() || asked.direction == point.direction) directions.insert(point.direction);
  }
  for (const auto& direction : directions)
    for (std::size_t m = 0; m < kMetrics; ++m) {
      if (!asked.metric.empty() && asked.metric != kMetricRows[m].name) continue;
      const auto values = values_of(*points, direction, m);
      if (values.values.empty()) continue;
      auto series = series_of(store, asked, values, kMetricRows[m]);
      if (!series) return series.error();
      series->job = job, series->direction = direction;
      out.series.push_back(std::move(*series));
    }
  return {};
}

}  // namespace

base::Expected<void> check_job(Store& store, const std::string& job) {
  const auto jobs = store.jobs();
  if (!jobs) return jobs.error();
  if (job.empty() || std::find(jobs->begin(), jobs->end(), job) != jobs->end()) return {};
  base::Error error;
  error.what = fmt::format("--job: the history has no job `{}`", job);
  error.help = base::did_you_mean(job, *jobs, "`fathom history list` shows the jobs");
  return error;
}

base::Expected<result::HistoryCheck> check(Store& store, const CheckAsked& asked) {
  result::HistoryCheck out;
  out.most_p = asked.most_p, out.least_change_percent = asked.least_change_percent, out.last = asked.filter.last;
  if (auto ok = check_job(store, asked.filter.job); !ok) return ok.error();
  auto jobs = store.jobs();
  if (!jobs) return jobs.error();
  std::set<std::uint64_t> unfit;
  for (const auto& job : *jobs)
    if (asked.filter.job.empty() || asked.filter.job == job)
      if (auto ok = add_job(store, asked, job, unfit, out); !ok) return ok.error();
  out.unfit_runs = unfit.size();
  return out;
}

bool is_worse(const result::HistoryCheck& check) {
  return std::any_of(check.series.begin(), check.series.end(),
                     [](const auto& series) { return series.state == HistoryState::worse; });
}

}  // namespace fathom::history
