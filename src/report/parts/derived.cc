// fio's arithmetic: integer bandwidth, IOPS from milliseconds. If a direction moved data in less than a millisecond,
// its run time counts as one, as in fio: no rate is infinite.
#include "report/parts/derived.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "result/sums/merge_directions.h"
#include "result/sums/rates.h"
#include "stats/repeat.h"

namespace fathom::report::parts {
namespace {

std::uint64_t runtime_ms(const result::Direction& dir) { return std::max<std::uint64_t>(dir.runtime_ms, 1); }

// Each point of a series is a sample.
result::Samples sampled(const std::vector<result::SeriesPoint>& points, double (*value)(const result::SeriesPoint&)) {
  result::Samples s;
  double squares = 0;
  for (const auto& point : points) {
    const double v = value(point), before = v - s.mean;
    s.min = s.n == 0 ? v : std::min(s.min, v);
    s.max = std::max(s.max, v);
    s.mean += before / static_cast<double>(++s.n);
    squares += before * (v - s.mean);
  }
  if (s.n > 1) s.stddev = std::sqrt(squares / static_cast<double>(s.n - 1));
  return s;
}

double seconds(const result::SeriesPoint& p) {
  return static_cast<double>(std::max<std::uint64_t>(p.interval_ms, 1)) / 1e3;
}
double kib_per_s(const result::SeriesPoint& p) { return static_cast<double>(p.bytes) / 1024 / seconds(p); }
double per_s(const result::SeriesPoint& p) { return static_cast<double>(p.ios) / seconds(p); }

// Adds up the points of equal time.
void add_series(std::vector<result::SeriesPoint>& into, const std::vector<result::SeriesPoint>& from) {
  for (const auto& point : from) {
    const auto same = [&](const auto& p) { return p.time_ms == point.time_ms; };
    const auto at = std::find_if(into.begin(), into.end(), same);
    if (at == into.end()) {
      into.push_back(point);
    } else {
      at->bytes += point.bytes;
      at->ios += point.ios;
      // Percentiles cannot be added.
      at->lat_n = at->lat_ns_p50 = at->lat_ns_p99 = at->lat_ns_p999 = std::nullopt;
    }
  }
}

double floored_share(double share, double least) { return share > 0 && share < least ? least : share; }

const stats::Histogram& marked_latency(const result::Direction& dir) {
  return dir.clat.histogram_ns.empty() ? dir.lat.histogram_ns : dir.clat.histogram_ns;
}

}  // namespace

bool used(const result::Direction& dir) { return dir.runtime_ms > 0 || dir.bytes > 0; }

std::uint64_t bytes_per_s(const result::Direction& dir) {
  const auto scaled = static_cast<unsigned __int128>(dir.bytes) * 1000;
  return static_cast<std::uint64_t>(scaled / runtime_ms(dir));
}

double ios_per_s(const result::Direction& dir) {
  return used(dir) ? 1000.0 * static_cast<double>(dir.ios) / static_cast<double>(runtime_ms(dir)) : 0.0;
}

result::Direction mixed(const result::Job& job) {
  result::Direction sum = job.dirs[0];
  for (std::size_t i = 1; i < result::kDirs; ++i) {
    const auto& dir = job.dirs[i];
    result::sums::merge_direction(sum, dir);
    add_series(sum.series, dir.series);
  }
  sum.bw_kib_s = sampled(sum.series, kib_per_s);
  sum.iops = sampled(sum.series, per_s);
  return sum;
}

Figures figures_of(const result::Job& job) {
  const auto& as = job.reporting;
  return {std::max(1u, as.significant_figures), as.kb_base == 1000 ? Base::k1000 : Base::k1024, as.unit_base == 1};
}

result::GroupDirection mixed_group(const result::Run& run, const result::Group& group) {
  result::GroupDirection sum;
  for (const auto& dir : group.dirs) {
    if (!dir.used) continue;
    sum.min_run_ms = sum.used ? std::min(sum.min_run_ms, dir.min_run_ms) : dir.min_run_ms;
    sum.max_run_ms = std::max(sum.max_run_ms, dir.max_run_ms);
    sum.bytes += dir.bytes;
    sum.used = true;
  }
  sum.agg_bytes_per_s =
      static_cast<double>(sum.bytes) * 1000 / static_cast<double>(std::max<std::uint64_t>(sum.max_run_ms, 1));
  bool first = true;
  for (const auto& job : run.jobs) {
    if (job.group_id != group.id) continue;
    const auto rate = static_cast<double>(bytes_per_s(mixed(job)));
    sum.min_bytes_per_s = first ? rate : std::min(sum.min_bytes_per_s, rate);
    sum.max_bytes_per_s = std::max(sum.max_bytes_per_s, rate);
    first = false;
  }
  return sum;
}

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

int fio_error(const result::Job& job) { return job.error == 0 && job.goes_on ? job.first_io_error : job.error; }

std::uint64_t issued_total(const result::Job& job) {
  std::uint64_t sum = 0;
  for (const auto& dir : job.dirs) sum += dir.issued;
  return sum;
}

double share_of_group_percent(const result::Run& run, const result::Job& job, std::size_t dir) {
  const double mean = job.dirs[dir].bw_kib_s.mean;
  if (job.dirs[dir].bw_kib_s.n == 0) return 0.0;
  for (const auto& group : run.groups) {
    const double group_kib_s = group.dirs[dir].agg_bytes_per_s / 1024.0;
    if (group.id == job.group_id && group_kib_s > 0) return std::min(100.0, mean * 100.0 / group_kib_s);
  }
  return 100.0;
}

double mixed_share_of_group_percent(const result::Run& run, const result::Job& job) {
  const auto samples = mixed(job).bw_kib_s;
  if (samples.n == 0) return 0.0;
  for (const auto& group : run.groups) {
    const double group_kib_s = mixed_group(run, group).agg_bytes_per_s / 1024.0;
    if (group.id == job.group_id && group_kib_s > 0) return std::min(100.0, samples.mean * 100.0 / group_kib_s);
  }
  return 100.0;
}

namespace {

LatencyShares stored_shares(const std::vector<double>& stored) {
  LatencyShares shares;
  if (stored.size() != shares.ns.size() + shares.us.size() + shares.ms.size()) return shares;
  auto next = stored.begin();
  const auto take = [&](auto& part) {
    for (auto& share : part) share = std::max(0.0, *next++);  // NaN becomes 0 too
  };
  take(shares.ns), take(shares.us), take(shares.ms);
  return shares;
}

}  // namespace

LatencyShares latency_shares(const result::Job& job) {
  stats::Histogram all;
  for (const auto& dir : job.dirs) all.merge(marked_latency(dir));
  LatencyShares shares;
  if (all.empty()) return stored_shares(job.latency_shares);
  std::uint64_t below = 0;
  const auto share_below = [&](std::uint64_t edge_ns) {
    const std::uint64_t up_to = all.count_up_to(edge_ns - 1);
    const double share = 100.0 * static_cast<double>(up_to - below) / static_cast<double>(all.total());
    below = up_to;
    return floored_share(share, 0.01);
  };
  for (std::size_t i = 0; i < kNsLabels.size(); ++i) shares.ns[i] = share_below(kNsLabels[i]);
  for (std::size_t i = 0; i < kUsLabels.size(); ++i) shares.us[i] = share_below(kUsLabels[i] * std::uint64_t{1'000});
  for (std::size_t i = 0; i < kMsLabels.size(); ++i)
    shares.ms[i] = share_below(kMsLabels[i] * std::uint64_t{1'000'000});
  shares.ms.back() =
      floored_share(100.0 * static_cast<double>(all.total() - below) / static_cast<double>(all.total()), 0.01);
  return shares;
}

std::array<double, 7> depth_shares(const std::array<std::uint64_t, 7>& counts, std::uint64_t total) {
  std::array<double, 7> shares{};
  if (total == 0) return shares;
  for (std::size_t i = 0; i < counts.size(); ++i)
    shares[i] = floored_share(100.0 * static_cast<double>(counts[i]) / static_cast<double>(total), 0.1);
  return shares;
}

bool has_interval(const result::RepeatedMetric& metric) { return metric.values.size() >= stats::kFewestForInterval; }
bool has_interval(const result::PagingRow& row) { return row.values.size() >= stats::kFewestForInterval; }

std::uint64_t trims_at(const result::BlockLifetimes& lifetimes, double percentile) {
  std::uint64_t blocks = 0;
  for (const auto& count : lifetimes.by_trims) blocks += count.blocks;
  auto left = static_cast<std::uint64_t>(std::ceil(percentile / 100 * static_cast<double>(blocks)));
  for (const auto& count : lifetimes.by_trims) {
    if (left <= count.blocks) return count.trims;
    left -= count.blocks;
  }
  return 0;
}

std::array<std::pair<std::string_view, std::uint64_t>, 5> block_states(const result::BlockLifetimes& lifetimes) {
  return {{{"UNINIT", lifetimes.untouched},
           {"TRIMMED", lifetimes.trimmed},
           {"WRITTEN", lifetimes.written},
           {"TRIM FAILURE", lifetimes.trim_failed},
           {"WRITE FAILURE", lifetimes.write_failed}}};
}

}  // namespace fathom::report::parts
