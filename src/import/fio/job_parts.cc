// Shares of depths become counts again, because the number of I/Os is known. The time zone is the difference between
// calendar time and clock time.
#include "import/fio/job_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "base/text/parse.h"
#include "import/fio/latency.h"

namespace fathom::import::fio {
namespace {

using result::Direction;
using result::Job;
using result::kDirs;

void take_samples(JsonReader& fio, const std::array<const char*, 5>& keys, result::Samples& samples) {
  get(fio, keys[0], samples.min), get(fio, keys[1], samples.max), get(fio, keys[2], samples.mean);
  get(fio, keys[3], samples.stddev), get(fio, keys[4], samples.n);
}

// Reads the moments and, if requested, the percentiles; true: they were requested.
bool take_latency(JsonDocument& in, const JsonNode& direction, const char* name, Job& job, result::Latency& latency) {
  result::Latency read;
  const bool asked = read_latency(in, direction, name, 0, read, job.percentile_list);
  if (latency.moments_ns.n == 0 && read.moments_ns.n > 0) latency = std::move(read);
  return asked;
}

void take_direction(JsonDocument& in, const JsonNode& node, Job& job, Direction& dir) {
  JsonReader fio(in, node);
  get(fio, "runtime", dir.runtime_ms);
  take_samples(fio, {"bw_min", "bw_max", "bw_mean", "bw_dev", "bw_samples"}, dir.bw_kib_s);
  take_samples(fio, {"iops_min", "iops_max", "iops_mean", "iops_stddev", "iops_samples"}, dir.iops);
  job.slat_percentiles |= take_latency(in, node, "slat", job, dir.slat);
  job.clat_percentiles |= take_latency(in, node, "clat", job, dir.clat);
  job.lat_percentiles |= take_latency(in, node, "lat", job, dir.lat);
  job.has_slat |= dir.slat.moments_ns.n > 0;
}

// unified_rw_reporting=mixed: the only direction is stored as reads.
void take_directions(JsonDocument& in, const JsonNode& node, Job& job) {
  for (std::size_t d = 0; d < kDirs; ++d) {
    const auto* direction = node.member(result::kDirKeys[d]);
    if (!direction && d == 0) direction = node.member("mixed");
    if (!direction || job.dirs[d] == Direction{}) continue;
    take_direction(in, *direction, job, job.dirs[d]);
  }
}

void take_sync(JsonDocument& in, const JsonNode& node, Job& job) {
  result::Latency read;
  read_latency(in, node, "lat", job.sync_ios, read, job.percentile_list);
  if (job.sync_lat.moments_ns.n == 0 && read.moments_ns.n > 0) job.sync_lat = std::move(read);
}

using Shares = std::array<double, 7>;
bool shares_of(JsonReader& fio, const char* key, const std::array<const char*, 7>& labels, Shares& shares) {
  if (!fio.there(key, false)) return false;
  std::map<std::string, double> by_label;
  fio.counts(key, "", by_label);
  for (std::size_t i = 0; i < labels.size(); ++i) shares[i] = by_label[labels[i]] > 0 ? by_label[labels[i]] : 0;
  return true;
}

// May exceed 100 %: a synchronous engine counts flushes among the depths of its I/Os.
std::uint64_t share_of(double percent, std::uint64_t all) {
  return static_cast<std::uint64_t>(std::llround(std::min(percent / 100 * static_cast<double>(all), 0x1p62)));
}

// Shares by fio's labels, if there are no histograms.
void take_latency_shares(const JsonNode& node, Job& job) {
  constexpr std::array<const char*, 12> kLabels = {"2",   "4",   "10",  "20",   "50",   "100",
                                                   "250", "500", "750", "1000", "2000", ">=2000"};
  const auto known = [](const Direction& d) { return !d.clat.histogram_ns.empty() || !d.lat.histogram_ns.empty(); };
  const auto timed = [](const Direction& d) { return d.clat.moments_ns.n > 0 || d.lat.moments_ns.n > 0; };
  if (std::any_of(job.dirs.begin(), job.dirs.end(), known) || std::none_of(job.dirs.begin(), job.dirs.end(), timed))
    return;
  for (const char* unit : {"latency_ns", "latency_us", "latency_ms"}) {
    const auto* shares = node.member(unit);
    const std::size_t labels = std::string_view(unit) == "latency_ms" ? kLabels.size() : 10;
    for (std::size_t i = 0; i < labels; ++i) {
      const auto* share = shares ? shares->member(kLabels[i]) : nullptr;
      job.latency_shares.push_back(share && share->is(JsonNode::Kind::real) ? share->real : 0);
    }
  }
}

void take_depth(JsonReader& fio, Job& job) {
  Shares level{}, submit{}, complete{};
  (void)(shares_of(fio, "iodepth_level", {"1", "2", "4", "8", "16", "32", ">=64"}, level) &&
         shares_of(fio, "iodepth_submit", {"0", "4", "8", "16", "32", "64", ">=64"}, submit) &&
         shares_of(fio, "iodepth_complete", {"0", "4", "8", "16", "32", "64", ">=64"}, complete));
  auto& depth = job.depth;
  const std::uint64_t issued = job.dirs[0].issued + job.dirs[1].issued + job.dirs[2].issued;
  const double idle = std::min(complete[0] / 100, 0.999999);
  depth.submit_calls = issued;  // the file has shares of calls, not their number
  depth.complete_calls = share_of(100 / (1 - idle), issued);
  for (std::size_t i = 0; i < level.size(); ++i) {
    depth.level[i] = share_of(level[i], issued);
    depth.submit[i] = share_of(submit[i], depth.submit_calls);
    depth.complete[i] = share_of(complete[i], depth.complete_calls);
  }
}

// "4k", ",8k", "1k,,8k", "4k-8k,1k": by direction. The last size applies to the following directions too. False: not a
// list of sizes.
bool sizes_in(std::string_view text, Job& job) {
  for (std::size_t d = 0; d < kDirs && !text.empty(); ++d) {
    const auto comma = std::min(text.find(','), text.size());
    const auto range = text.substr(0, comma);
    const auto dash = std::min(range.find('-'), range.size());
    const auto low = base::text::parse_bytes(range.substr(0, dash));
    const auto high = base::text::parse_bytes(range.substr(std::min(dash + 1, range.size())));
    if (comma > 0 && (!low || *low == 0 || (dash < range.size() && !high))) return false;
    for (std::size_t of = d; comma > 0 && of < (comma < text.size() ? d + 1 : kDirs); ++of) {
      job.bs_min[of] = *low;
      job.bs_max[of] = dash < range.size() ? *high : *low;
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return true;
}

// False: another option determines the sizes.
bool sizes_of(const result::Run& run, Job& job) {
  constexpr std::uint64_t kDefaultBytes = 4096;
  for (const char* other : {"bssplit", "kb_base"})
    if (option_of(run, job, other)) return false;
  std::fill(std::begin(job.bs_min), std::end(job.bs_min), kDefaultBytes);
  std::fill(std::begin(job.bs_max), std::end(job.bs_max), kDefaultBytes);
  const auto* given = option_of(run, job, "bsrange");
  if (!given) given = option_of(run, job, "bs");
  return !given || sizes_in(*given, job);
}

void take_sizes(const result::Run& run, Job& job) {
  if (sizes_of(run, job)) return;
  for (std::size_t d = 0; d < kDirs; ++d) job.bs_min[d] = job.bs_max[d] = 0;
}

}  // namespace

void take_job(JsonDocument& in, const JsonNode& node, const result::Run& run, Job& job) {
  JsonReader fio(in, node);
  job.slat_percentiles = job.clat_percentiles = job.lat_percentiles = false;
  if (fio.there("job options", false)) fio.pairs("job options", "", job.options);
  get(fio, "desc", job.description);
  get(fio, "elapsed", job.elapsed_s), get(fio, "job_runtime", job.job_runtime_ms);
  get(fio, "usr_cpu", job.usr_cpu_percent), get(fio, "sys_cpu", job.sys_cpu_percent);
  get(fio, "ctx", job.ctx_switches), get(fio, "majf", job.major_faults), get(fio, "minf", job.minor_faults);
  take_directions(in, node, job);
  if (const auto* sync = node.member("sync")) take_sync(in, *sync, job);
  take_latency_shares(node, job);
  take_depth(fio, job);
  take_sizes(run, job);
}

namespace {

// A stacked device has the mean of its members in addition to its own counts. Its members follow it.
struct DiskRow {
  result::Disk disk;
  std::optional<std::uint64_t> mean_reads, mean_writes;
};

DiskRow disk_row(JsonReader fio) {
  DiskRow row;
  auto& disk = row.disk;
  get(fio, "name", disk.name), get(fio, "read_ios", disk.read_ios), get(fio, "write_ios", disk.write_ios);
  get(fio, "read_sectors", disk.read_sectors), get(fio, "write_sectors", disk.write_sectors);
  get(fio, "read_merges", disk.read_merges), get(fio, "write_merges", disk.write_merges);
  get(fio, "read_ticks", disk.read_ticks_ms), get(fio, "write_ticks", disk.write_ticks_ms);
  get(fio, "in_queue", disk.in_queue_ms), get(fio, "util", disk.util_percent);
  if (fio.there("aggr_read_ios", false)) get(fio, "aggr_read_ios", row.mean_reads.emplace());
  if (fio.there("aggr_write_ios", false)) get(fio, "aggr_write_ios", row.mean_writes.emplace());
  return row;
}

std::size_t members_after(const std::vector<DiskRow>& rows, std::size_t at) {
  if (!rows[at].mean_reads || !rows[at].mean_writes) return 0;
  unsigned __int128 reads = 0, writes = 0;
  for (std::size_t n = 1; at + n < rows.size(); ++n) {
    reads += rows[at + n].disk.read_ios, writes += rows[at + n].disk.write_ios;
    if (reads / n == *rows[at].mean_reads && writes / n == *rows[at].mean_writes) return n;
  }
  return 0;
}

void take_disks(JsonDocument& in, const JsonNode& document, std::vector<result::Disk>& disks) {
  std::vector<DiskRow> rows;
  if (const auto* list = document.member("disk_util"))
    for (const auto& node : list->children) rows.push_back(disk_row(JsonReader(in, node)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t members = members_after(rows, i);
    disks.push_back(std::move(rows[i].disk));
    for (std::size_t m = 1; m <= members; ++m) disks.back().members.push_back(std::move(rows[i + m].disk));
    i += members;
  }
}

// The time zone is the difference between calendar time and clock time.
std::optional<int> zone_of(const std::string& calendar, std::uint64_t epoch_s) {
  constexpr std::int64_t kFarthest_s = std::int64_t{15} * 3600;
  std::tm parts{};
  const char* end = strptime(calendar.c_str(), "%a %b %d %H:%M:%S %Y", &parts);
  if (!end || *end != '\0') return std::nullopt;
  const auto offset_s = static_cast<std::int64_t>(timegm(&parts)) - static_cast<std::int64_t>(epoch_s);
  if (offset_s % 60 != 0 || offset_s < -kFarthest_s || offset_s > kFarthest_s) return std::nullopt;
  return static_cast<int>(offset_s);
}

}  // namespace

void take_head(JsonDocument& in, const JsonNode& document, result::Run& run) {
  JsonReader fio(in, document);
  std::uint64_t epoch_s = 0;
  std::string calendar;
  get(fio, "timestamp", epoch_s), get(fio, "time", calendar);
  if (epoch_s < (std::uint64_t{1} << 40)) run.utc_offset_s = zone_of(calendar, epoch_s);
  if (fio.there("global options", false)) fio.pairs("global options", "", run.global_options);
  take_disks(in, document, run.disks);
}

}  // namespace fathom::import::fio
