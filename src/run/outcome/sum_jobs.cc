// Sums jobs part by part.
#include "run/outcome/sum_jobs.h"

#include <algorithm>
#include <map>

#include "result/sums/merge_directions.h"
#include "result/sums/rates.h"
#include "run/outcome/delivery.h"
#include "run/outcome/replay_result.h"

namespace fathom::run::outcome {
namespace {

std::uint64_t ios_of(const result::QueueStats::Device& device) {
  return device.read_ios + device.write_ios + device.trim_ios;
}

void merge_device(result::QueueStats::Device& into, const result::QueueStats::Device& from) {
  if (ios_of(from) == 0) return;
  into.lat_ns_min = ios_of(into) == 0 ? from.lat_ns_min : std::min(into.lat_ns_min, from.lat_ns_min);
  into.read_ios += from.read_ios;
  into.write_ios += from.write_ios;
  into.trim_ios += from.trim_ios;
  into.lat_ns_sum += from.lat_ns_sum;
  into.lat_ns_max = std::max(into.lat_ns_max, from.lat_ns_max);
}

void merge_queue(std::optional<result::QueueStats>& into, const std::optional<result::QueueStats>& from) {
  if (!from) return;
  if (!into) {
    into = from;
    return;
  }
  into->queue_pairs += from->queue_pairs;
  into->commands += from->commands;
  into->completions += from->completions;
  into->sq_doorbells += from->sq_doorbells;
  into->cq_doorbells += from->cq_doorbells;
  into->polls += from->polls;
  into->idle_polls += from->idle_polls;
  into->waited += from->waited;
  into->split += from->split;
  into->unexpected += from->unexpected;
  into->timeouts += from->timeouts;
  into->aborted += from->aborted;
  into->idle_ns += from->idle_ns;
  into->busy_ns += from->busy_ns;
  into->ios += from->ios;
  into->doorbell_cost_ns = std::max(into->doorbell_cost_ns, from->doorbell_cost_ns);
  if (into->sq_copy.find(from->sq_copy) == std::string::npos) into->sq_copy += ", " + from->sq_copy;
  for (const auto& device : from->devices) {
    const auto same =
        std::find_if(into->devices.begin(), into->devices.end(), [&](const auto& d) { return d.name == device.name; });
    if (same == into->devices.end())
      into->devices.push_back(device);
    else
      merge_device(*same, device);
  }
}

void merge_width(result::StampWidth& into, const result::StampWidth& from) {
  const double sum =
      into.mean_ns * static_cast<double>(into.batches) + from.mean_ns * static_cast<double>(from.batches);
  into.batches += from.batches;
  into.ios += from.ios;
  into.max_ios = std::max(into.max_ios, from.max_ios);
  into.max_ns = std::max(into.max_ns, from.max_ns);
  into.mean_ns = into.batches == 0 ? 0 : sum / static_cast<double>(into.batches);
}

void merge_depth(result::DepthCounts& into, const result::DepthCounts& from) {
  for (std::size_t i = 0; i < into.level.size(); ++i) {
    into.level[i] += from.level[i];
    into.submit[i] += from.submit[i];
    into.complete[i] += from.complete[i];
  }
  into.submit_calls += from.submit_calls;
  into.complete_calls += from.complete_calls;
}

// If one part is not readable, the sum is not either.
void merge_process_io(result::ProcessIo& into, const result::ProcessIo& from) {
  into.readable &= from.readable;
  into.rchar += from.rchar;
  into.wchar += from.wchar;
  into.read_bytes += from.read_bytes;
  into.write_bytes += from.write_bytes;
  into.cancelled_write_bytes += from.cancelled_write_bytes;
}

void merge_lifetimes(std::optional<result::BlockLifetimes>& into, const std::optional<result::BlockLifetimes>& from) {
  if (!from) return;
  if (!into) into.emplace();
  into->untouched += from->untouched;
  into->trimmed += from->trimmed;
  into->written += from->written;
  into->trim_failed += from->trim_failed;
  into->write_failed += from->write_failed;
  std::map<std::uint64_t, std::uint64_t> by_trims;
  for (const auto& count : into->by_trims) by_trims[count.trims] += count.blocks;
  for (const auto& count : from->by_trims) by_trims[count.trims] += count.blocks;
  into->by_trims.clear();
  for (const auto& [trims, blocks] : by_trims) into->by_trims.push_back({trims, blocks});
}

void merge_job(result::Job& into, const result::Job& from) {
  merge_queue(into.queue, from.queue);
  merge_process_io(into.process_io, from.process_io);
  const double members = into.members;
  into.usr_cpu_percent = (into.usr_cpu_percent * members + from.usr_cpu_percent) / (members + 1);
  into.sys_cpu_percent = (into.sys_cpu_percent * members + from.sys_cpu_percent) / (members + 1);
  if (into.cpu_wait_percent && from.cpu_wait_percent)
    into.cpu_wait_percent = (*into.cpu_wait_percent * members + *from.cpu_wait_percent) / (members + 1);
  else
    into.cpu_wait_percent.reset();
  into.overslept_ns += from.overslept_ns;
  if (from.zone_resets) into.zone_resets = into.zone_resets.value_or(0) + *from.zone_resets;
  into.members += 1;
  into.error = into.error != 0 ? into.error : from.error;
  into.error_count += from.error_count;
  into.goes_on |= from.goes_on;
  merge_lifetimes(into.block_lifetimes, from.block_lifetimes);
  merge_replays(into.replay, from.replay);
  into.io_errors += from.io_errors;
  into.first_io_error = into.first_io_error != 0 ? into.first_io_error : from.first_io_error;
  into.errors.insert(into.errors.end(), from.errors.begin(), from.errors.end());
  if (into.errors.size() > result::kMaxErrorRecords) into.errors.resize(result::kMaxErrorRecords);
  into.interrupted |= from.interrupted;
  if (from.start_epoch_ms != 0 && (into.start_epoch_ms == 0 || from.start_epoch_ms < into.start_epoch_ms))
    into.start_epoch_ms = from.start_epoch_ms;  // 0: the job never began
  into.elapsed_s = std::max(into.elapsed_s, from.elapsed_s);
  into.job_runtime_ms += from.job_runtime_ms;
  into.read_back_ns = std::max(into.read_back_ns, from.read_back_ns);
  into.verified.add(from.verified);
  into.has_slat |= from.has_slat;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    result::sums::merge_direction(into.dirs[d], from.dirs[d]);
    into.rate.asked_iops[d] += from.rate.asked_iops[d];
    into.rate.asked_bytes_per_s[d] += from.rate.asked_bytes_per_s[d];
  }
  into.rate.late_ios += from.rate.late_ios;
  into.sync_ios += from.sync_ios;
  result::sums::merge_latency(into.sync_lat, from.sync_lat);
  into.ctx_switches += from.ctx_switches;
  into.major_faults += from.major_faults;
  into.minor_faults += from.minor_faults;
  merge_depth(into.depth, from.depth);
  merge_width(into.stamps.submit, from.stamps.submit);
  merge_width(into.stamps.reap, from.stamps.reap);
  merge_delivery(into.delivery, from.delivery);
}

}  // namespace

result::Job sum_jobs(const std::vector<result::Job>& members, const sampling::Series& series) {
  result::Job sum = members.front();
  for (std::size_t i = 1; i < members.size(); ++i) merge_job(sum, members[i]);
  sum.options = members.back().options;  // as in fio: name of the first job, options of the last
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    sum.dirs[d].series.clear(), sum.dirs[d].series_bands.clear();
    if (sum.dirs[d].ios > 0) series.summarize(d, sum.dirs[d]);
  }
  sum.series_width_ms = series.point_ms();
  return sum;
}

std::vector<result::Group> sum_groups(const std::vector<result::Job>& jobs) {
  std::vector<result::Group> groups;
  for (const auto& job : jobs) {
    if (job.reporting.hidden) continue;
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.id == job.group_id; });
    if (at == groups.end()) at = groups.insert(groups.end(), result::Group{job.group_id, {}});
    for (std::size_t d = 0; d < result::kDirs; ++d) {
      const auto& from = job.dirs[d];
      if (from.runtime_ms == 0) continue;
      auto& g = at->dirs[d];
      const double rate = static_cast<double>(from.bytes) * 1000.0 / static_cast<double>(from.runtime_ms);
      g.min_bytes_per_s = g.used ? std::min(g.min_bytes_per_s, rate) : rate;
      g.min_run_ms = g.used ? std::min(g.min_run_ms, from.runtime_ms) : from.runtime_ms;
      g.max_bytes_per_s = std::max(g.max_bytes_per_s, rate);
      g.max_run_ms = std::max(g.max_run_ms, from.runtime_ms);
      g.bytes += from.bytes;
      g.used = true;
      g.agg_bytes_per_s = static_cast<double>(g.bytes) * 1000.0 / static_cast<double>(g.max_run_ms);
    }
  }
  return groups;
}

void add_series(const sampling::Series& series, result::Group& group) {
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    if (!group.dirs[d].used) continue;
    result::Direction of_all;
    series.summarize(d, of_all);
    group.dirs[d].series = std::move(of_all.series);
    group.dirs[d].series_latency = std::move(of_all.series_latency);
    group.dirs[d].series_bands = std::move(of_all.series_bands);
  }
}

}  // namespace fathom::run::outcome
