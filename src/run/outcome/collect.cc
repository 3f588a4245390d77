// Collects results.
#include "run/outcome/collect.h"
#include "run/outcome/replay_result.h"

#include "run/outcome/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "engine/engine.h"
#include "io/cmdprio.h"
#include "io/engine_effects.h"
#include "io/engine_targets.h"
#include "job/fields/errors.h"
#include "job/fields/latency_limits.h"
#include "job/fields/offset_choice.h"
#include "job/fields/process_options.h"
#include "job/fields/report_as.h"
#include "job/fields/verify.h"
#include "result/sums/merge_directions.h"
#include "run/records/setup_error.h"

namespace fathom::run::outcome {
namespace {

result::Latency latency_of(const records::LatencySums& sums, const stats::RawHistogram& counts) {
  return {sums.moments, sums.moments.n == 0 ? stats::Histogram() : stats::Histogram(counts)};
}

// Batches of one I/O were only counted: their width is 0.
result::StampWidth width_of(const records::WidthRecord& w, std::uint64_t alone) {
  const std::uint64_t batches = w.batches + alone;
  return {batches, w.ios + alone, std::max<std::uint64_t>(w.max_ios, alone > 0 ? 1 : 0),
          batches == 0 ? 0.0 : static_cast<double>(w.sum_ns) / static_cast<double>(batches), w.max_ns};
}

// Each completed or failed I/O of a synchronous engine was issued. The engine's loop has no other count of issued I/Os.
std::uint64_t issued_of(const records::Measured& m, std::size_t d) {
  return m.submit.issued[d].get() + (m.alone > 0 ? m.done.ios[d].get() + m.error_ios[d].get() : 0);
}

// Reads that verify written data come after the measured part, and have a separate time.
std::uint64_t time_of_direction(const job::Job& job, const records::WorkerRecord& record, std::size_t d) {
  if (d != io::index(io::Dir::read) || record.read_back_ns == 0) return record.elapsed_ns;
  const bool read_before = job.mode.reads || job.of<job::fields::VerifyOptions>().reads_between();
  return record.read_back_ns + (read_before ? record.elapsed_ns : 0);
}

// By CLOCK_MONOTONIC. A job on a simulated clock begins after its start delay and its ramp.
std::uint64_t begin_of_direction(const job::Job& job, const records::WorkerRecord& record, std::size_t d) {
  const std::uint64_t start_ns = io::traits_of(job.ioengine).fake_time
                                     ? job.startdelay_ns + job.ramp_ns
                                     : record.start_ns.load(std::memory_order_relaxed);
  const bool after = d == io::index(io::Dir::read) && time_of_direction(job, record, d) == record.read_back_ns;
  return start_ns + (after ? record.elapsed_ns : 0);
}

void collect_direction(const files::Plan& plan, const records::Measured& m, std::size_t d, std::uint64_t elapsed_ns,
                       result::Direction& to) {
  const records::DirectionRecord& from = m.dirs[d];
  to.bytes = m.done.bytes[d].get();
  to.ios = m.done.ios[d].get();
  to.issued = issued_of(m, d);
  to.short_ios = m.short_ios[d].get();
  to.error_ios = m.error_ios[d].get();
  if (d == io::index(io::Dir::read)) to.dropped_ios = m.dropped_ios;
  if ((to.issued > 0 || to.ios > 0) && io::targets_are(plan.job.ioengine) != io::TargetsAre::nothing) {
    to.runtime_ns = elapsed_ns;
    to.runtime_ms = std::max<std::uint64_t>(1, (elapsed_ns + 500'000) / 1'000'000);
  }
  // If a kernel thread polls for submissions, fathom makes no call to submit. So slat has no meaning, as in fio.
  if (!plan.job.disable_slat && !plan.job.engine.kernel_submits) to.slat = latency_of(from.slat, from.slat_counts);
  if (!plan.job.disable_clat) to.clat = latency_of(from.clat, from.clat_counts);
  if (!plan.job.disable_lat) to.lat = latency_of(from.lat, from.lat_counts);
  to.intended_lat = latency_of(from.intended, from.intended_counts);
  to.start_delay = latency_of(from.start_delay, from.start_delay_counts);
}

// Each index with samples, as its class and level. Index 0 has the values of prio= and prioclass=.
void collect_priorities(const job::Job& job, const records::WorkerRecord& record, std::size_t d,
                        result::Direction& to) {
  if (!record.by_priority || d > 1) return;
  const auto& options = job.engine.of<io::CmdprioOptions>();
  const auto& process = job.of<job::fields::ProcessOptions>();
  const unsigned own_class = process.sets_io_priority() ? process.prioclass.value_or(2) : 0;
  for (std::size_t n = 0; n <= options.values.size(); ++n) {
    const auto& from = record.priorities[d][n];
    if (from.sums.moments.n == 0) continue;
    const io::CmdprioOptions::Of of =
        n == 0 ? io::CmdprioOptions::Of{own_class, process.prio.value_or(0), process.priohint.value_or(0)}
               : options.values[n - 1];
    result::sums::merge_priorities(to.priorities,
                                   {{of.io_class, of.level, of.hint, latency_of(from.sums, from.counts)}});
  }
}

void describe_job(const files::Plan& plan, std::uint32_t index, result::Job& out) {
  const auto& job = plan.job;
  out.name = job.name;
  out.description = job.description;
  out.group_id = job.group_id;
  out.job_number = static_cast<int>(index);
  out.engine = job.ioengine;
  out.traits = io::traits_of(job.ioengine);
  out.options = job.echo;
  out.global_options = job.own_global_echo;
  if (job.section_name != job.name) out.section_name = job.section_name;
  out.seeds = job.seeds;
  out.iodepth = job.iodepth;
  out.rw = job.rw_name;
  out.section = job.section;
  out.thread = job.thread;
  out.percentile_list = job.percentile_list;
  std::sort(out.percentile_list.begin(), out.percentile_list.end());
  out.slat_percentiles = job.slat_percentiles;
  out.clat_percentiles = job.clat_percentiles;
  out.lat_percentiles = job.lat_percentiles;
  const auto& as = job.of<job::fields::ReportAs>();
  out.unified = as.unified != job::fields::Unified::none;
  out.reporting.both = as.unified == job::fields::Unified::both;
  out.reporting.hidden = !as.stats;
  out.reporting.significant_figures = as.significant_figures;
  out.reporting.kb_base = as.kb_base;
  out.reporting.unit_base = as.unit_base;
  if (as.unit_base == 0 && plan.job.engine.of<io::EngineEffects>().counts_bits) out.reporting.unit_base = 1;
  // A rate applies to each stream of I/Os.
  const double streams = job.depth_per_file ? static_cast<double>(plan.targets.size()) : 1;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    out.bs_min[d] = job.bs_min[d];
    out.bs_max[d] = job.bs_max[d];
    out.rate.asked_iops[d] = job.rate_iops[d] * streams;
    out.rate.asked_bytes_per_s[d] = static_cast<double>(job.rate_bytes_per_s[d]) * streams;
  }
  out.rate.paced = job.paced() && !job.replays;
  const auto& target = job.of<job::fields::LatencyTarget>();
  if (target.target_ns != 0) out.latency_target = {target.target_ns, target.window_ns, target.percentile, 0};
}

// Totals of the whole job. The reported numbers exclude the ramp, but its I/Os reached the engine.
void collect_for_audit(const records::WorkerRecord& record, result::Job& out) {
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    out.dirs[d].moved_bytes = record.ramp_bytes[d] + record.measured.done.bytes[d].get();
    out.dirs[d].moved_ios = record.ramp_ios[d] + record.measured.done.ios[d].get();
  }
  out.dirs[static_cast<std::size_t>(io::Dir::read)].moved_bytes += record.wrong_bytes;
  const auto& io = record.process_io;
  out.process_io = {io.readable, io.rchar, io.wchar, io.read_bytes, io.write_bytes, io.cancelled_write_bytes};
}

std::string sentence_of(const base::Error& error) {
  std::string text = error.what;
  if (!error.cause.empty()) text += ": " + error.cause;
  if (!error.help.empty()) text += "; " + error.help;
  return text;
}

// Joins several lines, each without its indentation.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    end = std::min(text.find('\n'), text.size());
    line += (line.empty() ? "" : "; ") + std::string(text.substr(0, end));
  }
  return line;
}

// One line, as the text report prints it after the program's name.
std::string error_message(const records::ErrorRecord& e, const base::Error& whole, const files::Plan& plan, int pid) {
  const std::string text = e.what[0] != 0 ? in_one_line(e.what) : sentence_of(whole);
  if (e.kind == records::ErrorRecord::Kind::too_few) return fmt::format("{}: {}", plan.job.name, text);
  if (!e.is_io) return fmt::format("pid={}, err={}/{}, job={}", pid, e.err, text, plan.job.name);
  const std::string file = e.target < plan.targets.size() ? plan.targets[e.target].path : "?";
  if (e.kind == records::ErrorRecord::Kind::too_slow)
    return fmt::format("{}: {} {} {} {}", text, file, io::name(e.dir), e.offset_bytes, e.length_bytes);
  const char* errno_text = e.err == EILSEQ ? "verification failed" : strerror(e.err);
  return fmt::format("io_u error on file {}: {}: {} offset={}, buflen={}{}{}", file, errno_text, io::name(e.dir),
                     e.offset_bytes, e.length_bytes, text.empty() ? "" : ": ", text);
}

// The place of a failed job's Error. Without one, the place of the job.
std::optional<result::Place> place_of(const records::ErrorRecord& e, const base::Error& whole,
                                      const files::Plan& plan) {
  const auto& place = whole.place ? whole.place : plan.job.place;
  if (e.is_io || !place) return std::nullopt;
  return result::Place{place->file, place->line, place->column};
}

result::IoError error_of(const records::ErrorRecord& e, const base::Error& whole, const files::Plan& plan) {
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
  error.went_on = e.went_on;
  error.length_bytes = e.length_bytes;
  return error;
}

records::ErrorRecord as_error(const records::PassedError& passed) {
  records::ErrorRecord e{};
  e.err = passed.err;
  e.is_io = e.went_on = true;
  e.dir = passed.dir;
  e.target = passed.target;
  e.offset_bytes = passed.offset_bytes;
  e.length_bytes = passed.length_bytes;
  return e;
}

void collect_errors(const files::Plan& plan, const records::WorkerRecord& record, const std::string& program,
                    result::Job& out) {
  out.error = record.error;
  out.error_count = record.error_count;
  out.goes_on = plan.job.of<job::fields::Errors>().asked();
  out.io_errors = record.io_errors;
  out.first_io_error = record.first_io_error;
  const auto add = [&](const records::ErrorRecord& e, const base::Error& whole) {
    out.errors.push_back(error_of(e, whole, plan));
    // If rates were not kept, fio's message names the job instead of the program.
    const bool of_job = e.kind == records::ErrorRecord::Kind::too_few;
    out.errors.back().message = (of_job ? "" : program + ": ") + error_message(e, whole, plan, out.pid);
  };
  for (std::size_t i = 0; i < record.errors_kept; ++i) add(record.errors[i], records::told(record, i));
  if (!plan.job.of<job::fields::Errors>().dump) return;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(record.passed_count, records::kPassedErrors); ++i)
    add(as_error(record.passed[i]), {});
}

void collect_lifetimes(const records::WorkerRecord& record, result::Job& out) {
  if (record.lifetime_blocks == 0) return;
  std::map<std::uint64_t, std::uint64_t> by_trims;
  auto& sums = out.block_lifetimes.emplace();
  std::uint64_t* const of_fate[] = {&sums.untouched, &sums.trimmed, &sums.written, &sums.trim_failed,
                                    &sums.write_failed};
  for (std::size_t i = 0; i < record.lifetime_blocks; ++i) {
    const auto& block = record.lifetimes[i];
    ++*of_fate[static_cast<std::size_t>(block.fate)];
    if (block.fate != records::BlockFate::untouched) ++by_trims[block.trims];
  }
  for (const auto& [trims, blocks] : by_trims) sums.by_trims.push_back({trims, blocks});
}

void collect_cpu(const records::WorkerRecord& record, result::Job& out) {
  if (record.cpu_wall_s > 0) {
    out.usr_cpu_percent = 100.0 * record.user_cpu_s / record.cpu_wall_s;
    out.sys_cpu_percent = 100.0 * record.system_cpu_s / record.cpu_wall_s;
    const double threads = std::max(1u, record.cpu_threads);
    if (record.cpu_wait_known) out.cpu_wait_percent = 100.0 * record.cpu_wait_s / (record.cpu_wall_s * threads);
  }
  out.overslept_ns = record.measured.overslept_ns;
  out.ctx_switches = record.ctx_switches;
  out.major_faults = record.major_faults;
  out.minor_faults = record.minor_faults;
}

// fio's distribution of batch sizes: 0, 1-4, ...
void collect_batches(const records::WidthRecord& batches, std::uint64_t alone, std::uint64_t empty,
                     std::array<std::uint64_t, 7>& buckets, std::uint64_t& calls) {
  std::copy(std::begin(batches.buckets), std::end(batches.buckets), buckets.begin());
  buckets[0] += empty;
  buckets[1] += alone;
  calls = batches.batches + alone + empty;
}

// Each call of a synchronous engine has depth 1, and submits and completes one I/O.
void collect_depth(const records::Measured& m, result::DepthCounts& out) {
  std::copy(std::begin(m.submit.level), std::end(m.submit.level), out.level.begin());
  out.level[0] += m.alone;
  collect_batches(m.submit.batches, m.submit.alone + m.alone, 0, out.submit, out.submit_calls);
  collect_batches(m.reap.batches, m.reap.alone + m.alone, m.reap.empty, out.complete, out.complete_calls);
}

// Describes the disk with the identity that its controller reported. The controller is still open.
void describe(const files::Plan& plan, result::QueueStats::Device& device) {
  const auto* known = engine::targets_of(plan.job.ioengine);
  const auto text = known != nullptr && known->describe != nullptr ? known->describe(device.name) : std::nullopt;
  if (!text) return;
  device.model = text->model;
  device.serial = text->serial;
  device.firmware = text->firmware;
  device.keeps_data = text->keeps_data;
}

std::optional<result::QueueStats> queue_stats(const files::Plan& plan, const records::WorkerRecord& record) {
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
  q.unexpected = from.unexpected;
  q.timeouts = from.timeouts;
  q.aborted = from.aborted;
  q.idle_ns = std::min(record.measured.idle_ns, record.elapsed_ns);
  q.busy_ns = record.elapsed_ns - q.idle_ns;
  q.sq_copy = engine::userspace::sq_copy_name(from.sq_copy);
  q.doorbell_cost_ns = from.doorbell_cost_ns;
  q.ios = from.ios;
  for (std::size_t i = 0; i < std::min(plan.targets.size(), records::kDeviceRecords); ++i) {
    const records::DeviceRecord& d = record.measured.devices[i];
    result::QueueStats::Device device;
    device.name = plan.targets[i].path;
    const std::size_t more = i + 1 == records::kDeviceRecords ? plan.targets.size() - records::kDeviceRecords : 0;
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

}  // namespace

result::Job collect_job(const files::Plan& plan, std::uint32_t index, const records::WorkerRecord& record,
                        const sampling::WorkerSeries& series, const result::ClockFacts& clock,
                        const std::string& program) {
  result::Job out;
  describe_job(plan, index, out);
  out.pid = record.pid.load();
  out.interrupted = record.interrupted;
  out.job_runtime_ms = (record.elapsed_ns + 500'000) / 1'000'000;
  out.read_back_ns = record.read_back_ns;
  out.verified = record.verified;
  out.elapsed_s = (record.job_ns + 999'999'999) / 1'000'000'000;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    collect_direction(plan, record.measured, d, time_of_direction(plan.job, record, d), out.dirs[d]);
    // fio counts the requests of verify_only as well, below at a depth of 1
    out.dirs[d].issued += record.dry_ios[d];
    if (out.dirs[d].runtime_ns == 0) continue;
    out.dirs[d].begin_ns = begin_of_direction(plan.job, record, d);
    out.dirs[d].end_ns = *out.dirs[d].begin_ns + out.dirs[d].runtime_ns;
    collect_priorities(plan.job, record, d, out.dirs[d]);
    if (out.dirs[d].ios > 0) series.series().summarize(d, out.dirs[d]);
  }
  out.series_width_ms = series.series().point_ms();
  out.has_slat = std::any_of(out.dirs.begin(), out.dirs.end(), [](const auto& d) { return d.slat.moments_ns.n > 0; });
  out.sync_ios = record.measured.sync_ios.get();
  out.sync_lat = latency_of(record.measured.sync_lat, record.measured.sync_counts);
  collect_for_audit(record, out);
  collect_cpu(record, out);
  collect_depth(record.measured, out.depth);
  for (const std::uint64_t ios : record.dry_ios) out.depth.level[0] += ios;
  const records::Measured& m = record.measured;
  out.stamps = {plan.job.fio_stamps ? "fio" : "fathom", width_of(m.submit.batches, m.submit.alone + m.alone),
                width_of(m.reap.batches, m.reap.alone + m.alone)};
  out.clock = clock;
  out.queue = queue_stats(plan, record);
  out.rate.late_ios = record.measured.late_ios;
  if (out.latency_target.target_ns != 0) out.latency_target.depth = record.latency_depth;
  collect_errors(plan, record, program, out);
  collect_lifetimes(record, out);
  const bool resets = plan.job.mode.writes || plan.job.mode.trims;
  if (plan.job.of<job::fields::ZonedDevice>().used && resets) out.zone_resets = record.zone_resets;
  if (plan.trace != nullptr) out.replay = replay_of(plan, record, out);
  return out;
}

}  // namespace fathom::run::outcome
