// json and json+: fio's document, key by key. Everything that fathom adds is under one key, "fathom", which is last.
// Readers of fio's JSON ignore unknown keys, so one file has both. docs/reference/json.md describes both halves.
#include <fmt/format.h>

#include "report/fathom_json.h"
#include "report/formats.h"
#include "report/parts/derived.h"
#include "report/parts/disks.h"
#include "report/parts/fio_json_latency.h"
#include "report/parts/json_writer.h"
#include "report/parts/numbers.h"
#include "result/measured.h"

namespace fathom::report {

// Keys, order and types are those of fio 3.33 with the additions of 3.42 (job_start, latency_target_ns,
// latency_window_us). A job without a latency target has fio's values for that case. "eta" of a finished job is 0.

namespace {

void write_samples(parts::JsonWriter& w, const result::Direction& dir, double share_percent) {
  w.field("bw_min", parts::whole(dir.bw_kib_s.min));
  w.field("bw_max", parts::whole(dir.bw_kib_s.max));
  w.field("bw_agg", share_percent);
  w.field("bw_mean", dir.bw_kib_s.mean);
  w.field("bw_dev", dir.bw_kib_s.stddev);
  w.field("bw_samples", dir.bw_kib_s.n);
  w.field("iops_min", parts::whole(dir.iops.min));
  w.field("iops_max", parts::whole(dir.iops.max));
  w.field("iops_mean", dir.iops.mean);
  w.field("iops_stddev", dir.iops.stddev);
  w.field("iops_samples", dir.iops.n);
}

// Empty for fewer than two priorities with samples.
void write_priorities(parts::JsonWriter& w, const result::Job& job, const result::Direction& dir, bool bins) {
  if (dir.priorities.size() < 2) return;
  w.begin_array("prios");
  for (const auto& priority : dir.priorities) {
    w.begin_object();
    w.field("prioclass", priority.io_class);
    w.field("prio", priority.level);
    w.field("priohint", priority.hint);
    parts::write_fio_latency(w, job.lat_percentiles ? "lat_ns" : "clat_ns", priority.latency,
                             {job.percentile_list, job.clat_percentiles || job.lat_percentiles, bins});
    w.end_object();
  }
  w.end_array();
}

void write_direction(parts::JsonWriter& w, std::string_view key, const result::Job& job, const result::Direction& dir,
                     double share_percent, bool bins) {
  const std::uint64_t rate = parts::bytes_per_s(dir);
  w.begin_object(key);
  w.field("io_bytes", dir.bytes);
  w.field("io_kbytes", dir.bytes / 1024);
  w.field("bw_bytes", rate);
  w.field("bw", rate / 1024);
  w.field("iops", parts::ios_per_s(dir));
  w.field("runtime", dir.runtime_ms);
  w.field("total_ios", dir.issued);
  w.field("short_ios", dir.short_ios);
  w.field("drop_ios", dir.dropped_ios);
  parts::write_fio_latency(w, "slat_ns", dir.slat, {job.percentile_list, job.slat_percentiles, bins});
  parts::write_fio_latency(w, "clat_ns", dir.clat, {job.percentile_list, job.clat_percentiles, bins});
  parts::write_fio_latency(w, "lat_ns", dir.lat, {job.percentile_list, job.lat_percentiles, bins});
  write_priorities(w, job, dir, bins);
  write_samples(w, dir, share_percent);
  w.end_object();
}

void write_directions(parts::JsonWriter& w, const result::Run& run, const result::Job& job, bool bins) {
  const auto write_mixed = [&] {
    write_direction(w, "mixed", job, parts::mixed(job), parts::mixed_share_of_group_percent(run, job), bins);
  };
  if (parts::only_mixed(job)) return write_mixed();
  for (std::size_t i = 0; i < result::kDirs; ++i)
    write_direction(w, parts::kDirNames[i], job, job.dirs[i], parts::share_of_group_percent(run, job, i), bins);
  w.begin_object("sync");
  w.field("total_ios", job.sync_ios);
  parts::write_fio_latency(w, "lat_ns", job.sync_lat,
                           {job.percentile_list, job.clat_percentiles || job.lat_percentiles, bins});
  w.end_object();
  if (job.unified) write_mixed();
}

void write_depth(parts::JsonWriter& w, std::string_view key, const std::array<std::string_view, 7>& labels,
                 const std::array<double, 7>& shares) {
  w.begin_object(key);
  for (std::size_t i = 0; i < labels.size(); ++i) w.field(labels[i], shares[i]);
  w.end_object();
}

void write_latency_labels(parts::JsonWriter& w, const parts::LatencyShares& shares) {
  w.begin_object("latency_ns");
  for (std::size_t i = 0; i < parts::kNsLabels.size(); ++i)
    w.field(fmt::format("{}", parts::kNsLabels[i]), shares.ns[i]);
  w.end_object();
  w.begin_object("latency_us");
  for (std::size_t i = 0; i < parts::kUsLabels.size(); ++i)
    w.field(fmt::format("{}", parts::kUsLabels[i]), shares.us[i]);
  w.end_object();
  w.begin_object("latency_ms");
  for (std::size_t i = 0; i < parts::kMsLabels.size(); ++i)
    w.field(fmt::format("{}", parts::kMsLabels[i]), shares.ms[i]);
  w.field(">=2000", shares.ms.back());
  w.end_object();
}

// The results of block_error_percentiles.
void write_blocks(parts::JsonWriter& w, const result::Job& job) {
  if (!job.block_lifetimes) return;
  w.begin_object("block");
  if (!job.block_lifetimes->by_trims.empty()) {
    w.begin_object("percentiles");
    for (const double percentile : job.percentile_list)
      w.field(fmt::format("{:f}", percentile), parts::trims_at(*job.block_lifetimes, percentile));
    w.end_object();
  }
  for (const auto& [name, blocks] : parts::block_states(*job.block_lifetimes)) w.field(name, blocks);
  w.end_object();
}

void write_usage(parts::JsonWriter& w, const result::Job& job) {
  w.field("job_runtime", job.job_runtime_ms);
  w.field("usr_cpu", job.usr_cpu_percent);
  w.field("sys_cpu", job.sys_cpu_percent);
  w.field("ctx", job.ctx_switches);
  w.field("majf", job.major_faults);
  w.field("minf", job.minor_faults);
}

// fio 3.42 added the second name of each pair; the values are equal.
void write_latency_target(parts::JsonWriter& w, const result::Job& job) {
  const auto& target = job.latency_target;
  w.field("latency_depth", target.target_ns != 0 ? target.depth : job.iodepth);
  w.field("latency_target", target.target_ns);
  w.field("latency_target_ns", target.target_ns);
  w.field("latency_percentile", target.percentile);
  w.field("latency_window", target.window_ns / 1000);
  w.field("latency_window_us", target.window_ns / 1000);
}

void write_wholes(parts::JsonWriter& w, std::string_view key, const std::vector<double>& values) {
  w.begin_array(key);
  for (const double value : values) w.element(parts::whole(value));
  w.end_array();
}

void write_steady_state(parts::JsonWriter& w, const result::SteadyState& steady) {
  const std::string_view unit = steady.percent ? "%" : "";
  w.begin_object("steadystate");
  w.field("ss", fmt::format("{}{}:{:f}{}", steady.criterion, steady.slope ? "_slope" : "", steady.limit, unit));
  w.field("duration", steady.duration_s);
  w.field("attained", steady.attained ? 1 : 0);
  w.field("criterion", fmt::format("{:f}{}", steady.value, unit));
  w.field("max_deviation", steady.max_deviation);
  w.field("slope", steady.slope_value);
  w.begin_object("data");
  w.field("bw_mean", parts::whole(parts::mean_of(steady.bytes_per_s)));
  w.field("iops_mean", parts::whole(parts::mean_of(steady.iops)));
  if (!steady.lat_ns.empty()) {
    w.field("lat_mean", parts::mean_of(steady.lat_ns));
    write_wholes(w, "lat_ns", steady.lat_ns);
  }
  write_wholes(w, "iops", steady.iops);
  write_wholes(w, "bw", steady.bytes_per_s);
  w.end_object();
  w.end_object();
}

}  // namespace

void write_options(parts::JsonWriter& w, std::string_view key, const result::Options& options) {
  if (options.empty()) return;
  w.begin_object(key);
  for (const auto& [name, value] : options) w.field(name, value);
  w.end_object();
}

void write_fio_job(parts::JsonWriter& w, const result::Run& run, const result::Job& job, bool bins) {
  w.begin_object();
  w.field("jobname", job.name);
  w.field("groupid", job.group_id);
  w.field("job_start", job.reporting.job_start_ms.value_or(job.start_epoch_ms));
  w.field("error", parts::fio_error(job));
  w.field("eta", job.eta_s);
  w.field("elapsed", job.elapsed_s);
  write_options(w, "job options", job.options);
  write_directions(w, run, job, bins);
  write_usage(w, job);
  const std::uint64_t issued = parts::issued_total(job);
  write_depth(w, "iodepth_level", parts::kLevelLabels, parts::depth_shares(job.depth.level, issued));
  write_depth(w, "iodepth_submit", parts::kBatchLabels, parts::depth_shares(job.depth.submit, job.depth.submit_calls));
  write_depth(w, "iodepth_complete", parts::kBatchLabels,
              parts::depth_shares(job.depth.complete, job.depth.complete_calls));
  write_latency_labels(w, parts::latency_shares(job));
  if (job.goes_on) {
    w.field("total_err", job.io_errors);
    w.field("first_error", job.first_io_error);
  }
  write_blocks(w, job);
  write_latency_target(w, job);
  if (!job.description.empty()) w.field("desc", job.description);
  if (job.steady_state) write_steady_state(w, *job.steady_state);
  w.end_object();
}

namespace {

void write_disk(parts::JsonWriter& w, const parts::DiskRow& row) {
  const auto& disk = *row.disk;
  w.begin_object();
  w.field("name", disk.name);
  w.field("read_ios", disk.read_ios);
  w.field("write_ios", disk.write_ios);
  w.field("read_sectors", disk.read_sectors);
  w.field("write_sectors", disk.write_sectors);
  w.field("read_merges", disk.read_merges);
  w.field("write_merges", disk.write_merges);
  w.field("read_ticks", disk.read_ticks_ms);
  w.field("write_ticks", disk.write_ticks_ms);
  w.field("in_queue", disk.in_queue_ms);
  w.field("util", disk.util_percent);
  if (row.members) {
    const auto& mean = *row.members;
    w.field("aggr_read_ios", mean.read_ios);
    w.field("aggr_write_ios", mean.write_ios);
    w.field("aggr_read_sectors", mean.read_sectors);
    w.field("aggr_write_sectors", mean.write_sectors);
    w.field("aggr_read_merges", mean.read_merges);
    w.field("aggr_write_merge", mean.write_merges);
    w.field("aggr_read_ticks", mean.read_ticks_ms);
    w.field("aggr_write_ticks", mean.write_ticks_ms);
    w.field("aggr_in_queue", mean.in_queue_ms);
    w.field("aggr_util", mean.util_percent);
  }
  w.end_object();
}

void write_disks(parts::JsonWriter& w, const result::Run& run) {
  const auto rows = parts::disk_rows(run.disks);
  if (rows.empty()) return;
  w.begin_array("disk_util");
  for (const auto& row : rows) write_disk(w, row);
  w.end_array();
}

void write_idleness(parts::JsonWriter& w, const result::Run& run) {
  if (!run.cpu_idleness) return;
  const auto& idle = *run.cpu_idleness;
  w.begin_object("cpu_idleness");
  w.field("system", idle.system_percent);
  for (std::size_t i = 0; i < idle.cpu_percent.size() && idle.each; ++i)
    w.field(fmt::format("cpu-{}", i), idle.cpu_percent[i]);
  w.field("unit_mean", idle.unit_mean_us);
  w.field("unit_stddev", idle.unit_stddev_us);
  w.end_object();
}

std::string document(const result::Run& run, bool bins) {
  parts::JsonWriter w;
  w.begin_object();
  w.field("fio version", run.program.fio_version);
  const std::uint64_t epoch_ms = reported_epoch_ms(run);
  w.field("timestamp", epoch_ms / 1000);
  w.field("timestamp_ms", epoch_ms);
  w.field("time", parts::calendar(epoch_ms, run.utc_offset_s));
  write_options(w, "global options", run.global_options);
  w.begin_array("jobs");
  for (const auto& job : run.jobs)
    if (!job.reporting.hidden) write_fio_job(w, run, job, bins);
  w.end_array();
  write_disks(w, run);
  write_idleness(w, run);
  write_fathom(w, run);
  w.end_object();
  return w.take();
}

}  // namespace

std::string json(const result::Run& run) { return document(run, false); }
std::string json_plus(const result::Run& run) { return document(run, true); }

}  // namespace fathom::report
