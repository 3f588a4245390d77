// fio's terse output: one line per job, fields separated by semicolons and read by position. There are four versions;
// the default is 3. Version 2 has no program version and no disks, 3 has no trims, 4 has trims. All versions have
// statistics of bandwidth samples; 5 also has those of IOPS. Latencies are in microseconds, rates in KiB/s. The numbers
// of fields are those of fio (161, 121, 162, 180 for a job without a disk). tests/report/terse_test.cc compares them
// with lines that fio wrote.
#include <fmt/format.h>

#include <numeric>

#include "report/formats.h"
#include "report/parts/derived.h"
#include "report/parts/disks.h"
#include "report/parts/numbers.h"
#include "report/parts/shown.h"
#include "result/sums/percentiles.h"

namespace fathom::report {
namespace {

constexpr std::size_t kPercentileSlots = 20;

std::string latency(const result::Latency& latency) {
  const auto& ns = latency.moments_ns;
  return fmt::format(";{};{};{:f};{:f}", ns.min() / 1000, ns.max / 1000, ns.mean() / 1000, ns.stddev() / 1000);
}

// A direction without samples has percentiles too; they are 0.
std::string percentiles(const result::Job& job, const result::Direction& dir) {
  const bool asked = job.clat_percentiles || job.lat_percentiles;
  const auto table = result::percentiles_of(job.lat_percentiles ? dir.lat : dir.clat, job.percentile_list);
  std::string out;
  for (std::size_t i = 0; i < kPercentileSlots; ++i)
    out += asked && i < job.percentile_list.size()
               ? fmt::format(";{:f}%={}", job.percentile_list[i], i < table.size() ? table[i].second / 1000 : 0)
               : ";0%=0";
  return out;
}

std::string direction(const result::Job& job, const result::Direction& dir, double share_percent, int version) {
  const auto& bw = dir.bw_kib_s;
  std::string out = fmt::format(";{};{};{};{}", dir.bytes / 1024, parts::used(dir) ? parts::bytes_per_s(dir) / 1024 : 0,
                                parts::whole(parts::ios_per_s(dir)), dir.runtime_ms);
  out += latency(dir.slat) + latency(dir.clat) + percentiles(job, dir) + latency(dir.lat);
  out += fmt::format(";{};{};{:f}%;{:f};{:f}", parts::whole(bw.min), parts::whole(bw.max), share_percent, bw.mean,
                     bw.stddev);
  if (version >= 5)
    out += fmt::format(";{};{};{};{:f};{:f};{}", bw.n, parts::whole(dir.iops.min), parts::whole(dir.iops.max),
                       dir.iops.mean, dir.iops.stddev, dir.iops.n);
  return out;
}

std::string directions(const result::Run& run, const result::Job& job, int version) {
  std::string out;
  for (std::size_t d = 0; d < result::kDirs && !parts::only_mixed(job); ++d)
    if (d != 2 || version != 3) out += direction(job, job.dirs[d], parts::share_of_group_percent(run, job, d), version);
  if (job.unified) out += direction(job, parts::mixed(job), parts::mixed_share_of_group_percent(run, job), version);
  return out;
}

// Shares below a microsecond count in the first class of microseconds.
std::string distribution(const result::Job& job) {
  auto shares = parts::latency_shares(job);
  shares.us[0] += std::accumulate(shares.ns.begin(), shares.ns.end(), 0.0);
  std::string out;
  for (const double share : parts::depth_shares(job.depth.level, parts::issued_total(job)))
    out += fmt::format(";{:3.1f}%", share);
  for (const double share : shares.us) out += fmt::format(";{:3.2f}%", share);
  for (const double share : shares.ms) out += fmt::format(";{:3.2f}%", share);
  return out;
}

std::string counters(const result::Disk& disk) {
  return fmt::format(";{};{};{};{};{};{};{};{:3.2f}%", disk.read_ios, disk.write_ios, disk.read_merges,
                     disk.write_merges, disk.read_ticks_ms, disk.write_ticks_ms, disk.in_queue_ms, disk.util_percent);
}

std::string disks(const result::Run& run) {
  std::string out;
  for (const auto& row : parts::disk_rows(run.disks)) {
    out += ";" + row.disk->name + counters(*row.disk);
    if (row.members) out += ";slaves" + counters(*row.members);
  }
  return out;
}

std::string line(const result::Run& run, const result::Job& job, int version) {
  std::string out = fmt::format("{};", version);
  if (version >= 3) out += run.program.fio_version + ";";
  out += fmt::format("{};{};{}", job.name, job.group_id, parts::fio_error(job)) + directions(run, job, version);
  out += fmt::format(";{:f}%;{:f}%;{};{};{}", job.usr_cpu_percent, job.sys_cpu_percent, job.ctx_switches,
                     job.major_faults, job.minor_faults);
  out += distribution(job);
  if (version >= 3) out += disks(run);
  if (job.goes_on) out += fmt::format(";{};{}", job.io_errors, job.first_io_error);
  if (!job.description.empty()) out += (version == 2 ? "\n;" : ";") + job.description;
  return out + "\n";
}

std::string lines(const result::Run& as_it_is, int version) {
  const auto run = parts::shown(as_it_is);
  std::string out;
  for (const auto& job : run.jobs)
    if (!job.reporting.hidden) out += line(run, job, version);
  return out;
}

}  // namespace

std::string terse(const result::Run& run) { return lines(run, 3); }
std::string terse_v2(const result::Run& run) { return lines(run, 2); }
std::string terse_v4(const result::Run& run) { return lines(run, 4); }
std::string terse_v5(const result::Run& run) { return lines(run, 5); }

}  // namespace fathom::report
