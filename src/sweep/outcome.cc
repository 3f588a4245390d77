// The numbers are those of `fathom compare`, so that a comparison of two points gives the same numbers.
#include "sweep/outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "compare/run_numbers.h"
#include "result/sums/checks.h"
#include "result/sums/rates.h"

namespace fathom::sweep {
namespace {

// Each job counts over its own time: jobs at different times have no common rate.
std::optional<double> delivered_percent(const result::Run& run) {
  double asked_ios = 0, asked_bytes = 0, ios = 0, bytes = 0;
  for (const auto& job : run.jobs) {
    if (!job.rate.paced) return std::nullopt;
    for (std::size_t d = 0; d < result::kDirs; ++d) {
      const auto& dir = job.dirs[d];
      const double seconds = static_cast<double>(result::sums::rate_of(dir).time_ns()) / 1e9;
      if (dir.ios == 0 || seconds <= 0) continue;
      asked_ios += job.rate.asked_iops[d] * seconds, asked_bytes += job.rate.asked_bytes_per_s[d] * seconds;
      ios += static_cast<double>(dir.ios), bytes += static_cast<double>(dir.bytes);
    }
  }
  if (asked_ios > 0) return 100 * ios / asked_ios;
  if (asked_bytes > 0) return 100 * bytes / asked_bytes;
  return std::nullopt;
}

std::optional<bool> steady(const result::Run& run) {
  std::optional<bool> all;
  for (const auto& job : run.jobs)
    if (job.steady_state) all = all.value_or(true) && job.steady_state->attained;
  return all;
}

}  // namespace

base::Expected<compare::Metric> latency_named(const std::string& name, bool paced) {
  const bool from_start = paced && name.starts_with("lat_");
  auto metric = compare::metric_named(from_start ? "intended_" + name : name);
  if (metric && (metric->latency.empty() || !compare::is_of(*metric, compare::Kind::jobs))) {
    base::Error error;
    error.what = fmt::format("`{}` is not a latency of a job", name);
    error.help = "write a latency's percentile or mean: lat_p99, clat_mean";
    return error;
  }
  return metric;
}

std::vector<compare::Metric> metrics_with(const compare::Metric& latency, bool paced) {
  std::vector<compare::Metric> metrics = {latency};
  for (const char* name : {"iops", "bw", "lat_mean", "lat_p50", "lat_p99", "lat_p99.9"}) {
    const bool from_start = paced && std::string_view(name).starts_with("lat_");
    auto metric = *compare::metric_named(from_start ? std::string("intended_") + name : name);
    if (metric.name != latency.name) metrics.push_back(std::move(metric));
  }
  return metrics;
}

Outcome outcome_of(const result::Run& run, const std::vector<compare::Metric>& metrics, Stage stage) {
  Outcome outcome;
  outcome.failure = compare::unfit(run);
  for (const auto& finding : run.findings)
    if (finding.severity != result::Severity::note) outcome.findings.emplace_back(finding.id, finding.evidence);
  if (auto checks = result::sums::checks_of(run); checks.all == result::sums::Outcome::failed)
    outcome.failed_by = std::move(checks.decided_by);
  if (!outcome.failure.empty()) return outcome;
  const auto found = compare::numbers_of(run, metrics);
  const auto& whole = found.parts.front().numbers;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    outcome.numbers.push_back(whole[i] ? std::optional(whole[i]->value) : std::nullopt);
    if (metrics[i].name == "iops") outcome.iops = outcome.numbers.back().value_or(0);
    if (metrics[i].name == "bw") outcome.bytes_per_s = outcome.numbers.back().value_or(0);
  }
  if (!outcome.numbers[0] && stage != Stage::most)
    outcome.failure = fmt::format("the result has no {}", metrics[0].name);
  outcome.delivered_percent = delivered_percent(run);
  outcome.steady = steady(run);
  outcome.streams = 0;
  for (const auto& job : run.jobs)
    for (const auto& dir : job.dirs) {
      outcome.ios += dir.ios;
      outcome.streams += dir.ios > 0 ? static_cast<std::uint64_t>(std::max(job.members, 1)) : 0;
    }
  for (const auto& job : run.jobs)
    outcome.written_bytes += static_cast<double>(job.dirs[1].bytes) + static_cast<double>(job.dirs[2].bytes);
  return outcome;
}

}  // namespace fathom::sweep
