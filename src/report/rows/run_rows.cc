// The order of a table: the run, its repetitions, their jobs, the directions of a job.
#include "report/rows/run_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

#include "report/parts/derived.h"
#include "result/measured.h"
#include "result/sums/checks.h"
#include "result/sums/main_latency.h"
#include "result/sums/percentiles.h"
#include "result/sums/rates.h"
#include "result/sums/same_findings.h"

namespace fathom::report::rows {
namespace {

constexpr std::string_view kCount = "n";

void put(std::vector<Number>& numbers, const Label& label, std::uint64_t value) { numbers.push_back({label, value}); }
void put(std::vector<Number>& numbers, const Label& label, double value) {
  if (std::isfinite(value)) numbers.push_back({label, value});
}
void put(std::vector<Number>& numbers, const Label& label, const std::optional<double>& value) {
  if (value) put(numbers, label, *value);
}

// If another program reports 0, it may not have counted this: the value is unknown.
void put_counted(std::vector<Number>& numbers, const Quantity& of, std::uint64_t value, bool is_reported) {
  if (value > 0 || !is_reported) put(numbers, {&of}, value);
}

// The percentiles of the job and of every table, in ascending order.
std::vector<double> percentiles_for(const result::Job& job) {
  std::vector<double> all(job.percentile_list);
  all.insert(all.end(), kPercentiles.begin(), kPercentiles.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void put_latency(DirectionRow& row, const Quantity& of, const result::Latency& latency,
                 std::span<const double> percentiles) {
  const auto& ns = latency.moments_ns;
  if (ns.n == 0) return;
  put(row.numbers, {&of, kCount}, ns.n);
  put(row.numbers, {&of, "min"}, ns.min());
  put(row.numbers, {&of, "mean"}, ns.mean());
  if (ns.n > 1) put(row.numbers, {&of, "stddev"}, ns.stddev());
  for (const auto& [percentile, value] : result::percentiles_of(latency, percentiles))
    put(row.numbers, {&of, {}, percentile}, value);
  put(row.numbers, {&of, "max"}, ns.max);
  row.latencies.push_back({&of, latency});
}

bool did_anything(const result::Direction& dir) {
  return result::has_samples(dir) || dir.issued > 0 || dir.error_ios > 0;
}

DirectionRow row_of(std::string_view name, const result::Direction& dir, std::span<const double> percentiles,
                    bool is_reported) {
  DirectionRow row{.name = name};
  const bool measured = result::has_samples(dir);  // values that a log of fio omits are unknown
  const auto rate = result::sums::rate_of(dir);
  if (dir.ios > 0 || !measured) put(row.numbers, {&kIos}, dir.ios);
  if (dir.bytes > 0 || !measured) put(row.numbers, {&kBytes}, dir.bytes);
  if (rate.longest_ns() > 0) put(row.numbers, {&kRuntime}, rate.longest_ns());
  put(row.numbers, {&kIops}, rate.iops());
  put(row.numbers, {&kBw}, rate.bytes_per_s());
  put_counted(row.numbers, kErrorIos, dir.error_ios, is_reported);
  put_counted(row.numbers, kShortIos, dir.short_ios, is_reported);
  put_counted(row.numbers, kDroppedIos, dir.dropped_ios, is_reported);
  const result::Latency* latencies[] = {&dir.slat, &dir.clat, &dir.lat, &dir.intended_lat, &dir.start_delay};
  static_assert(std::size(latencies) == kLatencies.size());
  for (std::size_t i = 0; i < kLatencies.size(); ++i) put_latency(row, kLatencies[i], *latencies[i], percentiles);
  row.main_latency = result::sums::main_latency(dir).name;
  row.begin_ns = dir.begin_ns;
  row.length_ns = rate.time_ns();
  return row;
}

DirectionRow sync_row(const result::Job& job, std::span<const double> percentiles) {
  DirectionRow row{.name = "sync", .main_latency = sync_latency().name};
  result::sums::RateSum rate;
  rate.add_syncs(job);
  put(row.numbers, {&kIos}, job.sync_ios);
  put(row.numbers, {&kIops}, rate.iops());
  put_latency(row, sync_latency(), job.sync_lat, percentiles);
  row.length_ns = rate.time_ns();
  return row;
}

std::vector<DirectionRow> directions_of(const result::Job& job, bool is_reported) {
  const auto percentiles = percentiles_for(job);
  std::vector<DirectionRow> rows;
  for (std::size_t d = 0; d < result::kDirs && !parts::only_mixed(job); ++d)
    if (did_anything(job.dirs[d])) rows.push_back(row_of(parts::kDirNames[d], job.dirs[d], percentiles, is_reported));
  if (job.unified)
    if (const auto mixed = parts::mixed(job); did_anything(mixed))
      rows.push_back(row_of("mixed", mixed, percentiles, is_reported));
  if (job.sync_ios > 0) rows.push_back(sync_row(job, percentiles));
  return rows;
}

std::vector<Number> numbers_of(const result::Job& job, bool is_reported) {
  std::vector<Number> numbers;
  put(numbers, {&kError}, static_cast<std::uint64_t>(std::max(job.error, 0)));
  for (const auto& [of, percent] : {std::pair(&kUsrCpu, job.usr_cpu_percent), {&kSysCpu, job.sys_cpu_percent}})
    if (percent > 0 || !is_reported) put(numbers, {of}, percent);
  put_counted(numbers, kContextSwitches, job.ctx_switches, is_reported);
  put_counted(numbers, kMajorFaults, job.major_faults, is_reported);
  put_counted(numbers, kMinorFaults, job.minor_faults, is_reported);
  return numbers;
}

std::uint64_t begin_epoch_ms(const result::Run& run) {
  std::uint64_t first = 0;
  for (const auto& job : run.jobs)
    if (job.start_epoch_ms > 0 && (first == 0 || job.start_epoch_ms < first)) first = job.start_epoch_ms;
  return first > 0 ? first : run.time_epoch_ms;
}

void add_jobs(RunRows& rows, const result::Run& run, std::size_t repetition, bool is_reported) {
  for (const auto& job : run.jobs) {
    if (job.reporting.hidden) continue;
    auto& row = rows.jobs.emplace_back();
    row.name = job.name;
    row.number = job.job_number;
    row.members = job.members;
    row.repetition = repetition;
    row.reported_epoch_ms = result::reported_epoch_ms(run);
    row.begin_epoch_ms = begin_epoch_ms(run);
    row.numbers = numbers_of(job, is_reported);
    row.directions = directions_of(job, is_reported);
  }
}

std::vector<Number> numbers_of(const result::Run& run) {
  std::vector<Number> numbers;
  if (const auto ms = result::reported_epoch_ms(run); ms > 0) put(numbers, {&kReportedEpoch}, ms);
  const auto findings = result::sums::same_findings(run.findings);
  for (const auto severity : {result::Severity::error, result::Severity::warning, result::Severity::note}) {
    const auto n = std::count_if(findings.begin(), findings.end(),
                                 [&](const auto& finding) { return finding.first->severity == severity; });
    put(numbers, {&kFindings, result::name(severity)}, static_cast<std::uint64_t>(n));
  }
  return numbers;
}

std::string_view unit_suffix(const Label& label) {
  constexpr std::pair<std::string_view, std::string_view> kSuffixes[] = {
      {"ns", "_ns"}, {"ms", "_ms"}, {"bytes", "_bytes"}, {"bytes/s", "_bytes_per_s"}, {"percent", "_percent"}};
  for (const auto& [unit, suffix] : kSuffixes)
    if (unit == label.unit() && label.of->name != unit) return suffix;
  return "";
}

}  // namespace

std::string_view Label::unit() const { return statistic == kCount ? "1" : of->unit; }

std::string Label::metric() const {
  return std::string(of->name) + (statistic.empty() ? "" : "_") + std::string(statistic);
}

std::string Label::column() const {
  std::string out = std::string(of->name) + std::string(unit_suffix(*this));
  if (!statistic.empty()) out += fmt::format("_{}", statistic);
  if (percentile) out += fmt::format("_p{}", *percentile);
  return out;
}

// 99.9 / 100 is not the double that is closest to 0.999, so the quotient is rounded to 12 digits.
std::optional<double> Label::quantile() const {
  if (!percentile) return std::nullopt;
  return std::strtod(fmt::format("{:.12g}", *percentile / 100).c_str(), nullptr);
}

std::string value_text(const Value& value) {
  return std::visit([](auto number) { return fmt::format("{}", number); }, value);
}

const Number* find(const std::vector<Number>& numbers, const Label& label) {
  const auto at =
      std::find_if(numbers.begin(), numbers.end(), [&](const Number& number) { return number.label == label; });
  return at == numbers.end() ? nullptr : &*at;
}

RunRows rows_of(const result::Run& run) {
  RunRows rows;
  rows.run_id = run.run_id;
  rows.host = run.host.hostname;
  rows.checks = name(result::sums::checks_of(run, run.repetitions).all);
  rows.numbers = numbers_of(run);
  const bool is_reported = result::sums::is_reported(run);
  if (run.repetitions.empty()) add_jobs(rows, run, 0, is_reported);
  for (std::size_t i = 0; i < run.repetitions.size(); ++i) add_jobs(rows, run.repetitions[i], i + 1, is_reported);
  return rows;
}

}  // namespace fathom::report::rows
