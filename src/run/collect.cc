// Collecting results.
#include "run/collect.h"

#include "run/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/engine.h"
#include "run/setup_error.h"

namespace fathom::run {
namespace {

result::Latency latency_of(const LatencySums& sums, const stats::RawHistogram& counts) {
  return {sums.moments, sums.moments.n == 0 ? stats::Histogram() : stats::Histogram(counts)};
}

std::uint64_t width_of(const Series& series) { return series.ticks_per_point() * (kSampleNs / 1'000'000); }

// Batches of one were only counted: they have no width.
result::StampWidth width_of(const WidthRecord& w, std::uint64_t alone) {
  const std::uint64_t batches = w.batches + alone;
  return {batches, w.ios + alone, std::max<std::uint64_t>(w.max_ios, alone > 0 ? 1 : 0),
          batches == 0 ? 0.0 : static_cast<double>(w.sum_ns) / static_cast<double>(batches), w.max_ns};
}

// A synchronous engine's I/Os were issued when they are over, one way or the other; its loop counts nothing else.
std::uint64_t issued_of(const Measured& m, std::size_t d) {
  return m.submit.issued[d].get() + (m.alone > 0 ? m.done.ios[d].get() + m.error_ios[d].get() : 0);
}

// Reads that check what was written came after the measured part, and had their own time.
std::uint64_t time_of_direction(const job::Job& job, const WorkerRecord& record, std::size_t d) {
  if (d != io::index(io::Dir::read) || record.read_back_ns == 0) return record.elapsed_ns;
  return record.read_back_ns + (job.mode.reads ? record.elapsed_ns : 0);
}

void collect_direction(const Plan& plan, const Measured& m, std::size_t d, std::uint64_t elapsed_ns,
                       result::Direction& to) {
  const DirectionRecord& from = m.dirs[d];
  to.bytes = m.done.bytes[d].get();
  to.ios = m.done.ios[d].get();
  to.issued = issued_of(m, d);
  to.short_ios = m.short_ios[d].get();
  to.error_ios = m.error_ios[d].get();
  if (to.issued > 0 || to.ios > 0) {
    to.runtime_ns = elapsed_ns;
    to.runtime_ms = std::max<std::uint64_t>(1, (elapsed_ns + 500'000) / 1'000'000);
  }
  // With a polling kernel thread nothing is submitted by a call of ours: slat means nothing, as in fio.
  if (!plan.job.disable_slat && !plan.job.engine.kernel_submits) to.slat = latency_of(from.slat, from.slat_counts);
  if (!plan.job.disable_clat) to.clat = latency_of(from.clat, from.clat_counts);
  if (!plan.job.disable_lat) to.lat = latency_of(from.lat, from.lat_counts);
  to.intended_lat = latency_of(from.intended, from.intended_counts);
  to.start_delay = latency_of(from.start_delay, from.start_delay_counts);
}

void describe_job(const Plan& plan, std::uint32_t index, result::Job& out) {
  const auto& job = plan.job;
  out.name = job.name;
  out.description = job.description;
  out.group_id = job.group_id;
  out.job_number = static_cast<int>(index);
  out.engine = job.ioengine;
  out.traits = io::traits_of(job.ioengine);
  out.options = job.echo;
  out.iodepth = job.iodepth;
  out.rw = job.rw_name;
  out.section = job.section;
  out.thread = job.thread;
  out.percentile_list = job.percentile_list;
  std::sort(out.percentile_list.begin(), out.percentile_list.end());
  out.slat_percentiles = job.slat_percentiles;
  out.clat_percentiles = job.clat_percentiles;
  out.lat_percentiles = job.lat_percentiles;
  // A rate is of each stream of I/Os.
  const double streams = job.depth_per_file ? static_cast<double>(plan.targets.size()) : 1;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    out.bs_min[d] = job.bs_min[d];
    out.bs_max[d] = job.bs_max[d];
    out.rate.asked_iops[d] = job.rate_iops[d] * streams;
    out.rate.asked_bytes_per_s[d] = static_cast<double>(job.rate_bytes_per_s[d]) * streams;
  }
  out.rate.paced = job.paced();
}

// Of the whole job: what the ramp moved was cleared from what is reported, and reached the engine all the same.
void collect_for_audit(const WorkerRecord& record, result::Job& out) {
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    out.dirs[d].moved_bytes = record.ramp_bytes[d] + record.measured.done.bytes[d].get();
    out.dirs[d].moved_ios = record.ramp_ios[d] + record.measured.done.ios[d].get();
  }
  const auto& io = record.process_io;
  out.process_io = {io.readable, io.rchar, io.wchar, io.read_bytes, io.write_bytes, io.cancelled_write_bytes};
}

std::string sentence_of(const base::Error& error) {
  std::string text = error.what;
  if (!error.cause.empty()) text += ": " + error.cause;
  if (!error.help.empty()) text += "; " + error.help;
  return text;
}

// One line, as the text report prints it, behind the program's name.
std::string error_message(const ErrorRecord& e, const base::Error& whole, const Plan& plan, int pid) {
  const std::string text = e.what[0] != 0 ? e.what : sentence_of(whole);
  if (!e.is_io) return fmt::format("pid={}, err={}/{}, job={}", pid, e.err, text, plan.job.name);
  const std::string file = e.target < plan.targets.size() ? plan.targets[e.target].path : "?";
  const char* errno_text = e.err == EILSEQ ? "verification failed" : strerror(e.err);
  return fmt::format("io_u error on file {}: {}: {} offset={}, buflen={}{}{}", file, errno_text, io::name(e.dir),
                     e.offset_bytes, e.length_bytes, text.empty() ? "" : ": ", text);
}

// A job that failed has a place even where its Error names none: its own.
std::optional<result::Place> place_of(const ErrorRecord& e, const base::Error& whole, const Plan& plan) {
  const auto& place = whole.place ? whole.place : plan.job.place;
  if (e.is_io || !place) return std::nullopt;
  return result::Place{place->file, place->line, place->column};
}

result::IoError error_of(const ErrorRecord& e, const base::Error& whole, const Plan& plan) {
  result::IoError error;
  error.err = e.err;
  error.job = plan.job.name;
  error.op = e.is_io ? io::name(e.dir) : "setup";
  error.what = whole.what;
  error.cause = whole.cause;
  error.remedy = whole.help;
  error.place = place_of(e, whole, plan);
  if (whole.what.empty() && whole.cause.empty()) (e.is_io ? error.cause : error.what) = e.what;
  if (!e.is_io) return error;
  error.file = e.target < plan.targets.size() ? plan.targets[e.target].path : "";
  error.offset_bytes = e.offset_bytes;
  error.length_bytes = e.length_bytes;
  return error;
}

void collect_errors(const Plan& plan, const WorkerRecord& record, const std::string& program, result::Job& out) {
  out.error = record.error;
  out.error_count = record.error_count;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(record.error_count, kErrorRecords); ++i) {
    const auto& e = record.errors[i];
    const auto whole = told(record, i);
    out.errors.push_back(error_of(e, whole, plan));
    out.errors.back().message = program + ": " + error_message(e, whole, plan, out.pid);
  }
}

void collect_cpu(const WorkerRecord& record, result::Job& out) {
  if (record.cpu_wall_s > 0) {
    out.usr_cpu_percent = 100.0 * record.user_cpu_s / record.cpu_wall_s;
    out.sys_cpu_percent = 100.0 * record.system_cpu_s / record.cpu_wall_s;
  }
  out.ctx_switches = record.ctx_switches;
  out.major_faults = record.major_faults;
  out.minor_faults = record.minor_faults;
}

// fio's distribution of batch sizes: 0, 1-4, ...
void collect_batches(const WidthRecord& batches, std::uint64_t alone, std::uint64_t empty,
                     std::array<std::uint64_t, 7>& buckets, std::uint64_t& calls) {
  std::copy(std::begin(batches.buckets), std::end(batches.buckets), buckets.begin());
  buckets[0] += empty;
  buckets[1] += alone;
  calls = batches.batches + alone + empty;
}

// A synchronous engine's calls are all of depth 1 and submit and complete one I/O.
void collect_depth(const Measured& m, result::DepthCounts& out) {
  std::copy(std::begin(m.submit.level), std::end(m.submit.level), out.level.begin());
  out.level[0] += m.alone;
  collect_batches(m.submit.batches, m.submit.alone + m.alone, 0, out.submit, out.submit_calls);
  collect_batches(m.reap.batches, m.reap.alone + m.alone, m.reap.empty, out.complete, out.complete_calls);
}

// Which disk it was: what the controller said of itself, which is still open.
void describe(const Plan& plan, result::QueueStats::Device& device) {
  const auto* known = engine::targets_of(plan.job.ioengine);
  const auto text = known != nullptr && known->describe != nullptr ? known->describe(device.name) : std::nullopt;
  if (!text) return;
  device.model = text->model;
  device.serial = text->serial;
  device.firmware = text->firmware;
}

std::optional<result::QueueStats> queue_stats(const Plan& plan, const WorkerRecord& record) {
  const auto& from = record.queue;
  if (from.queue_pairs == 0) return std::nullopt;
  result::QueueStats q;
  q.queue_pairs = from.queue_pairs;
  q.commands = from.commands;
  q.completions = from.completions;
  q.sq_doorbells = from.sq_doorbells;
  q.cq_doorbells = from.cq_doorbells;
  q.polls = from.polls;
  q.idle_polls = from.idle_polls;
  q.waited = from.waited;
  q.split = from.split;
  q.strange = from.strange;
  q.timeouts = from.timeouts;
  q.aborted = from.aborted;
  q.idle_ns = std::min(record.measured.idle_ns, record.elapsed_ns);
  q.busy_ns = record.elapsed_ns - q.idle_ns;
  q.sq_copy = engine::sq_copy_name(from.sq_copy);
  q.doorbell_cost_ns = from.doorbell_cost_ns;
  q.ios = from.ios;
  for (std::size_t i = 0; i < std::min(plan.targets.size(), kDeviceRecords); ++i) {
    const DeviceRecord& d = record.measured.devices[i];
    result::QueueStats::Device device;
    device.name = plan.targets[i].path;
    const std::size_t more = i + 1 == kDeviceRecords ? plan.targets.size() - kDeviceRecords : 0;
    if (more > 0) device.name += fmt::format(" and {} more", more);
    device.block_bytes = plan.targets[i].block_bytes;
    device.size_bytes = plan.targets[i].size_now;
    describe(plan, device);
    device.read_ios = d.ios[0].get();
    device.write_ios = d.ios[1].get();
    device.trim_ios = d.ios[2].get();
    device.lat_ns_sum = d.lat_ns_sum;
    device.lat_ns_max = d.lat_ns_max;
    device.lat_ns_min = d.lat_ns_sum == 0 ? 0 : ~d.lat_ns_min_inverted;
    q.devices.push_back(std::move(device));
  }
  return q;
}

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
  into->strange += from->strange;
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

void merge_latency(result::Latency& into, const result::Latency& from) {
  into.moments_ns.merge(from.moments_ns);
  into.histogram_ns.merge(from.histogram_ns);
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

void merge_direction(result::Direction& into, const result::Direction& from) {
  into.bytes += from.bytes;
  into.ios += from.ios;
  into.issued += from.issued;
  into.short_ios += from.short_ios;
  into.dropped_ios += from.dropped_ios;
  into.error_ios += from.error_ios;
  into.moved_bytes += from.moved_bytes;
  into.moved_ios += from.moved_ios;
  into.runtime_ms = std::max(into.runtime_ms, from.runtime_ms);
  into.runtime_ns = std::max(into.runtime_ns, from.runtime_ns);
  merge_latency(into.slat, from.slat);
  merge_latency(into.clat, from.clat);
  merge_latency(into.lat, from.lat);
  merge_latency(into.intended_lat, from.intended_lat);
  merge_latency(into.start_delay, from.start_delay);
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

// A sum of which one part is missing is no sum.
void merge_process_io(result::ProcessIo& into, const result::ProcessIo& from) {
  into.readable &= from.readable;
  into.rchar += from.rchar;
  into.wchar += from.wchar;
  into.read_bytes += from.read_bytes;
  into.write_bytes += from.write_bytes;
  into.cancelled_write_bytes += from.cancelled_write_bytes;
}

void merge_job(result::Job& into, const result::Job& from) {
  merge_queue(into.queue, from.queue);
  merge_process_io(into.process_io, from.process_io);
  const double members = into.members;
  into.usr_cpu_percent = (into.usr_cpu_percent * members + from.usr_cpu_percent) / (members + 1);
  into.sys_cpu_percent = (into.sys_cpu_percent * members + from.sys_cpu_percent) / (members + 1);
  into.members += 1;
  into.error = into.error != 0 ? into.error : from.error;
  into.error_count += from.error_count;
  into.errors.insert(into.errors.end(), from.errors.begin(), from.errors.end());
  if (into.errors.size() > result::kMaxErrorRecords) into.errors.resize(result::kMaxErrorRecords);
  into.interrupted |= from.interrupted;
  if (from.start_epoch_ms != 0 && (into.start_epoch_ms == 0 || from.start_epoch_ms < into.start_epoch_ms))
    into.start_epoch_ms = from.start_epoch_ms;  // 0: it never began
  into.elapsed_s = std::max(into.elapsed_s, from.elapsed_s);
  into.job_runtime_ms += from.job_runtime_ms;
  into.read_back_ns = std::max(into.read_back_ns, from.read_back_ns);
  into.has_slat |= from.has_slat;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    merge_direction(into.dirs[d], from.dirs[d]);
    into.rate.asked_iops[d] += from.rate.asked_iops[d];
    into.rate.asked_bytes_per_s[d] += from.rate.asked_bytes_per_s[d];
  }
  into.rate.late_ios += from.rate.late_ios;
  into.sync_ios += from.sync_ios;
  merge_latency(into.sync_lat, from.sync_lat);
  into.ctx_switches += from.ctx_switches;
  into.major_faults += from.major_faults;
  into.minor_faults += from.minor_faults;
  merge_depth(into.depth, from.depth);
  merge_width(into.stamps.submit, from.stamps.submit);
  merge_width(into.stamps.reap, from.stamps.reap);
  merge_delivery(into.delivery, from.delivery);
}

}  // namespace

result::Job collect_job(const Plan& plan, std::uint32_t index, const WorkerRecord& record, const WorkerSeries& series,
                        const result::ClockFacts& clock, const std::string& program) {
  result::Job out;
  describe_job(plan, index, out);
  out.pid = record.pid.load();
  out.interrupted = record.interrupted;
  out.start_epoch_ms = record.start_epoch_ms;
  out.job_runtime_ms = (record.elapsed_ns + 500'000) / 1'000'000;
  out.read_back_ns = record.read_back_ns;
  out.elapsed_s = (record.job_ns + 999'999'999) / 1'000'000'000;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    collect_direction(plan, record.measured, d, time_of_direction(plan.job, record, d), out.dirs[d]);
    if (out.dirs[d].ios > 0) series.series().summarize(d, out.dirs[d]);
  }
  out.series_width_ms = width_of(series.series());
  out.has_slat = std::any_of(out.dirs.begin(), out.dirs.end(), [](const auto& d) { return d.slat.moments_ns.n > 0; });
  out.sync_ios = record.measured.sync_ios.get();
  out.sync_lat = latency_of(record.measured.sync_lat, record.measured.sync_counts);
  collect_for_audit(record, out);
  collect_cpu(record, out);
  collect_depth(record.measured, out.depth);
  const Measured& m = record.measured;
  out.stamps = {plan.job.fio_stamps ? "fio" : "fathom", width_of(m.submit.batches, m.submit.alone + m.alone),
                width_of(m.reap.batches, m.reap.alone + m.alone)};
  out.clock = clock;
  out.queue = queue_stats(plan, record);
  out.rate.late_ios = record.measured.late_ios;
  collect_errors(plan, record, program, out);
  return out;
}

result::Job sum_jobs(const std::vector<result::Job>& members, const Series& series) {
  result::Job sum = members.front();
  for (std::size_t i = 1; i < members.size(); ++i) merge_job(sum, members[i]);
  sum.options = members.back().options;  // fio's: the name is of the first job, the options are of the last
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    sum.dirs[d].series.clear();
    if (sum.dirs[d].ios > 0) series.summarize(d, sum.dirs[d]);
  }
  sum.series_width_ms = width_of(series);
  return sum;
}

std::vector<result::Group> sum_groups(const std::vector<result::Job>& jobs) {
  std::vector<result::Group> groups;
  for (const auto& job : jobs) {
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

}  // namespace fathom::run
