// The six lines. Jobs that ran together are summed up: rates are added, and percentiles are of their histograms, added
// as well. Jobs that ran one after the other are not: each has a line.
#include "report/headline/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "base/text/unit_text.h"
#include "report/headline/verdict_parts.h"
#include "report/parts/derived.h"
#include "result/job_fields.h"
#include "result/measured.h"
#include "result/sums/percentiles.h"
#include "result/sums/rates.h"
#include "stats/repeat.h"

namespace fathom::report::headline {
namespace {

namespace text = base::text;

constexpr std::size_t kMostRows = 4;

// 4 KiB, 4 to 64 KiB, or 4/16 KiB of reads and writes.
std::string sizes_of(const result::Job& job) {
  std::vector<std::string> out;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    if (!parts::used(job.dirs[d]) || job.bs_max[d] == 0) continue;
    std::string size = text::size_text(job.bs_min[d]);
    if (job.bs_max[d] != job.bs_min[d]) size += "-" + text::size_text(job.bs_max[d]);
    if (std::find(out.begin(), out.end(), size) == out.end()) out.push_back(std::move(size));
  }
  return fmt::format("{}", fmt::join(out, "/"));
}

// How long it was measured. What a sum of jobs has of its own is the sum of their times.
std::uint64_t runtime_ms(const result::Job& job) {
  std::uint64_t longest = 0;
  for (const auto& d : job.dirs) longest = std::max(longest, d.runtime_ms);
  return longest > 0 ? longest : job.job_runtime_ms / static_cast<std::uint64_t>(std::max(job.members, 1));
}

std::string what_of(const result::Run& run, const result::Job& job) {
  std::string out = job.rw;
  for (const auto& more : {sizes_of(job), job.engine}) out += more.empty() ? "" : ", " + more;
  if (job.iodepth > 1) out += fmt::format(", iodepth {}", job.iodepth);
  if (job.members > 1) out += fmt::format(", {} jobs", job.members);
  if (run.host.devices.size() == 1 && run.jobs.size() == 1) out += ", " + run.host.devices[0].target;
  const auto ms = runtime_ms(job);
  if (ms < 1000) return out + fmt::format(", {} ms", ms);
  return out + fmt::format(", {} s", text::unit_text(static_cast<double>(ms) / 1e3, text::kRateLive));
}

std::string measured(const result::Run& run) {
  if (run.jobs.size() == 1) return what_of(run, run.jobs[0]);
  return fmt::format("{} jobs: {} ({}), ...", run.jobs.size(), run.jobs[0].name, what_of(run, run.jobs[0]));
}

// What is told in one row.
struct Row {
  std::string name;
  result::sums::RateSum rate = {};
  double syncs_per_s = 0;
  result::Latency latency = {};
  bool whole = true;  // every job's latency is in it
};

const result::Latency& latency_of(const result::Direction& d) { return d.lat.moments_ns.n > 0 ? d.lat : d.clat; }

void add(Row& row, const result::Direction& d) {
  row.rate.add(d);
  const auto& latency = latency_of(d);
  row.whole &= !latency.histogram_ns.empty();
  row.latency.moments_ns.merge(latency.moments_ns);
  row.latency.histogram_ns.merge(latency.histogram_ns);
}

// fsync and its like: no bytes, and a latency of their own.
void add_syncs(Row& row, const result::Job& job) {
  if (job.sync_ios == 0 || runtime_ms(job) == 0) return;
  row.syncs_per_s += static_cast<double>(job.sync_ios) * 1e3 / static_cast<double>(runtime_ms(job));
  row.whole &= !job.sync_lat.histogram_ns.empty();
  row.latency.moments_ns.merge(job.sync_lat.moments_ns);
  row.latency.histogram_ns.merge(job.sync_lat.histogram_ns);
}

bool together(const result::Run& run) {
  std::set<int> groups;
  for (const auto& job : run.jobs) groups.insert(job.group_id);
  return groups.size() <= 1;
}

std::vector<Row> rows_of(const result::Run& run) {
  std::vector<Row> rows;
  if (run.jobs.size() > 1 && !together(run)) {
    for (const auto& job : run.jobs) {
      for (std::size_t d = 0; d < result::kDirs; ++d)
        if (job.dirs[d].ios > 0)
          add(rows.emplace_back(Row{fmt::format("{} {}", job.name, parts::kDirNames[d])}), job.dirs[d]);
      if (job.sync_ios > 0) add_syncs(rows.emplace_back(Row{job.name + " sync"}), job);
    }
    return rows;
  }
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    Row row{std::string(parts::kDirNames[d])};
    for (const auto& job : run.jobs)
      if (job.dirs[d].ios > 0) add(row, job.dirs[d]);
    if (row.rate.ios() > 0) rows.push_back(std::move(row));
  }
  Row syncs{"sync"};
  for (const auto& job : run.jobs) add_syncs(syncs, job);
  if (syncs.syncs_per_s > 0) rows.push_back(std::move(syncs));
  return rows;
}

std::optional<double> iops_of(const Row& row) {
  return row.syncs_per_s > 0 ? std::optional(row.syncs_per_s) : row.rate.iops();
}

std::string row_text(const Row& row) {
  const auto iops = iops_of(row);
  const double bytes_per_s = row.rate.bytes_per_s().value_or(0);
  std::string out = !iops ? "rate not known: no run time"
                          : text::unit_text(*iops, text::kRateLive) + (bytes_per_s > 0 ? " IOPS" : " a second");
  if (bytes_per_s > 0) out += fmt::format(", {}/s", text::unit_text(bytes_per_s, text::kBytesThree));
  if (!row.whole) return out;
  for (const double p : {50.0, 99.0})
    if (const auto value = result::percentile_of(row.latency, p))
      out += fmt::format("{} p{} {}", p == 50 ? ";" : ",", p, time_text(*value));
  return out;
}

// Of a row what summarize_repetitions() says of a job. Percentiles only where every repetition has them.
std::vector<result::RepeatedMetric> repeated_of(const Row& row, std::span<const result::Run> repetitions) {
  std::vector<result::RepeatedMetric> out;
  for (const char* name : {"iops", "lat_p50", "lat_p99"}) {
    auto& metric = out.emplace_back();
    metric.direction = row.name;
    metric.metric = name;
  }
  for (const auto& run : repetitions)
    for (const auto& same : rows_of(run)) {
      if (same.name != row.name) continue;
      out[0].values.push_back(iops_of(same).value_or(0));
      for (std::size_t i = 1; i < out.size() && same.whole; ++i)
        if (const auto value = result::percentile_of(same.latency, i == 1 ? 50 : 99))
          out[i].values.push_back(static_cast<double>(*value));
    }
  std::erase_if(out, [&](const auto& metric) { return metric.values.size() != repetitions.size(); });
  for (auto& metric : out) {
    const auto of = stats::summarize(metric.values);
    metric.ci95_low = of.ci95_low, metric.ci95_high = of.ci95_high;
  }
  return out;
}

// Of repetitions: from three on an interval, of two the smaller and the larger.
std::string interval_text(std::span<const result::RepeatedMetric> repeated, std::string_view direction) {
  struct Shown {
    std::string_view metric, before, behind;
    std::span<const text::UnitStep> scale;
  };
  const Shown shown[] = {{"iops", "", " IOPS", text::kRateLive},
                         {"lat_p50", "; p50 ", "", text::kTimeLive},
                         {"lat_p99", ", p99 ", "", text::kTimeLive}};
  std::string out;
  const result::RepeatedMetric* last = nullptr;
  for (const auto& of : shown)
    for (const auto& metric : repeated) {
      if (metric.direction != direction || metric.metric != of.metric) continue;
      last = &metric;
      out += fmt::format("{}{}{}", of.before, range_text(metric.ci95_low, metric.ci95_high, of.scale), of.behind);
    }
  if (last == nullptr) return "";
  return fmt::format("{} ({}{} runs)", out, parts::has_interval(*last) ? "95 %, " : "", last->values.size());
}

std::string rows(const result::Run& run, std::span<const result::Run> repetitions, const Lines& lines) {
  const auto all = rows_of(run);
  std::string out;
  for (std::size_t i = 0; i < all.size() && i < kMostRows; ++i) {
    out += lines.one(all[i].name.size() > 8 ? all[i].name + ":" : all[i].name, row_text(all[i]));
    const auto sure = run.jobs.size() == 1     ? interval_text(run.repeated, all[i].name)
                      : repetitions.size() > 1 ? interval_text(repeated_of(all[i], repetitions), all[i].name)
                                               : "";
    if (!sure.empty()) out += lines.one("", sure);
  }
  if (all.size() > kMostRows) out += lines.one("", fmt::format("and {} rows more, below", all.size() - kMostRows));
  return out;
}

}  // namespace

std::string verdict(const result::Run& run, std::size_t columns, std::span<const result::Run> repetitions) {
  if (result::nothing_measured(run)) return "";
  const Lines lines{columns};
  if (run.paging) return paging_verdict(run, lines);
  return lines.one("measured", measured(run)) + rows(run, repetitions, lines) +
         checks_lines(run, lines, !run.repeated.empty());
}

}  // namespace fathom::report::headline
