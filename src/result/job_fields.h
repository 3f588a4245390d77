// The fields of a job: see fields.h. Beside what is told there a walker has
//   latency(key, latency, percentile list)   moments, percentiles and histogram; without samples absent
//   common(job)                              what stands once where it is the same for all jobs: walk_common
//   there(name, bool)                        as present, but what is not there is what it is by default
#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "result/fields.h"
#include "result/sums/queue_rates.h"
#include "result/sums/rates.h"
#include "stats/percentiles.h"
#include "stats/repeat.h"

namespace fathom::result {

inline constexpr std::array<const char*, kDirs> kDirKeys = {"read", "write", "trim"};

// What cannot be computed is no number.
inline constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();
inline double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

template <class W, class L>
void walk_latency(W& w, L& latency, const std::vector<double>& percentiles) {
  auto& moments = latency.moments_ns;
  std::uint64_t min_ns = moments.min();
  w.field(Key("n", "samples"), moments.n);
  w.field(Key("min_ns", "exact"), min_ns);
  w.field(Key("max_ns", "exact"), moments.max);
  w.derived(Key("mean_ns", "exact"), [&] { return moments.mean(); });
  w.derived(Key("stddev_ns", "exact (n - 1)"), [&] { return moments.stddev(); });
  w.field(Key("sum_ns", "of the samples"), moments.sum);
  w.wide(Key("sum_squares_ns2", "of the samples, as digits in a string: it may have 39"), moments.sum_squares);
  w.percentile_table(Key("percentiles_ns", "by percentile"), latency, percentiles);
  w.histogram(Key("histogram_ns", "pairs, rising: the value that stands for a bucket, and its count"),
              latency.histogram_ns);
  if constexpr (!std::is_const_v<L>) moments.min_inverted = moments.n == 0 ? 0 : ~min_ns;
}

template <class W>
void walk(W& w, Like<StampWidth> auto& width) {
  w.field(Key("batches", "clock readings"), width.batches);
  w.field(Key("ios", "for so many I/Os"), width.ios);
  w.field(Key("max_ios", "the most that shared one"), width.max_ios);
  field_if(w, width.batches > 0, Key("mean_ns", "the time one reading stands for"), width.mean_ns);
  field_if(w, width.batches > 0, Key("max_ns", "the same, at most"), width.max_ns);
}

template <class W>
void walk(W& w, Like<Stamps> auto& stamps) {
  w.field(Key("placement", "`fathom`: issue is stamped before the submitting call, `fio`: after it"), stamps.placement);
  w.part(Key("submit", "of issue"), stamps.submit);
  w.part(Key("reap", "of completion"), stamps.reap);
}

template <class W>
void walk(W& w, Like<ClockFacts> auto& clock) {
  w.field(Key("source", "`cpu`, `clock_gettime`, `gettimeofday`, `sim`"), clock.source);
  w.field(Key("verdict", "of the CPU clock's cross-core test: `not tested`, `passed`, `failed`"), clock.verdict);
  w.known(Key("ticks_per_second", "of the source"), clock.ticks_per_second);
  w.field(Key("calibration", "how that was found"), clock.calibration);
  field_if(w, !clock.calibration.empty(), Key("calibration_error_ppm", "its bound"), clock.calibration_error_ppm);
  w.known(Key("resolution_ns", "the smallest step that the source often shows"), clock.resolution_ns);
  w.known(Key("read_cost_ns", "median of one reading"), clock.read_cost_ns);
  w.field(Key("test", "`none`, `short`, `long`"), clock.test);
  w.field(Key("test_cached", "an earlier test of this boot served"), clock.test_cached);
  w.field(Key("check_skipped", "`--clock-check=skip`"), clock.check_skipped);
  w.field(Key("cpus_tested", "`0-3,8`; empty: none"), clock.cpus_tested);
  w.known(Key("detectable_ns", "the smallest offset between CPUs that the test could see"), clock.detectable_ns);
  w.field(Key("mismatches", "how often time ran backwards"), clock.mismatches);
  w.field(Key("fit", "the source may be trusted as far as is known"), clock.fit);
  w.field(Key("fell_back", "the CPU clock would have been taken, and was not"), clock.fell_back);
  w.field(Key("reason", "a sentence: why this source, or why it is unfit"), clock.reason);
  if (w.present("drift_ppm", clock.drift_ppm)) {
    w.field(Key("drift_ppm", "of the CPU clock's conversion over the run against CLOCK_MONOTONIC_RAW"),
            *clock.drift_ppm);
    w.field(Key("drift_bound_ppm", "its error; the shorter the run, the larger"), clock.drift_bound_ppm);
  }
  if (w.present("boot_drift_ppm", clock.boot_drift_ppm)) {
    w.field(Key("boot_drift_ppm", "the same of an earlier run of this boot that bounds it better"),
            *clock.boot_drift_ppm);
    w.field(Key("boot_drift_bound_ppm", "its error"), clock.boot_drift_bound_ppm);
    w.field(Key("boot_drift_over_s", "length of that run"), clock.boot_drift_over_s);
  }
}

template <class W>
void walk(W& w, Like<OwnCost> auto& cost) {
  w.field(Key("record_ns", "one latency into moments and histogram"), cost.record_ns);
  w.field(Key("loop_ns_per_io", "everything, on an engine that does nothing, at this job's depth"),
          cost.loop_ns_per_io);
}

template <class W>
void walk(W& w, Like<ProcessIo> auto& io) {
  w.field(Key("rchar", "bytes of reading system calls; io_uring is not in them"), io.rchar);
  w.field(Key("wchar", "bytes of writing system calls"), io.wchar);
  w.field(Key("read_bytes", "from storage"), io.read_bytes);
  w.field(Key("write_bytes", "to storage"), io.write_bytes);
  w.field(Key("cancelled_write_bytes", "that never left memory"), io.cancelled_write_bytes);
}

template <class W>
void walk(W& w, Like<Rate> auto& rate) {
  w.field(Key("paced", "a rate was asked for"), rate.paced);
  w.field(Key("late_ios", "issued more than an interval late"), rate.late_ios);
  w.group(Key("asked_iops", "by direction; 0: none"), [&](auto& in) {
    for (std::size_t i = 0; i < kDirs; ++i) in.field(Key(kDirKeys[i]), rate.asked_iops[i]);
  });
  w.group(Key("asked_bytes_per_s", "by direction; 0: none"), [&](auto& in) {
    for (std::size_t i = 0; i < kDirs; ++i) in.field(Key(kDirKeys[i]), rate.asked_bytes_per_s[i]);
  });
}

template <class W>
void walk(W& w, Like<SizeShare> auto& share, std::uint64_t all) {
  w.field(Key("low_bytes", "I/Os from this size"), share.low_bytes);
  w.field(Key("high_bytes", "to this one"), share.high_bytes);
  w.field(Key("asked_percent", "of the direction's I/Os"), share.asked_percent);
  w.derived(Key("delivered_percent", "the same, as issued"), [&] { return percent(share.ios, all); });
  w.field(Key("ios", "issued in the measured time"), share.ios);
}

// Sizes of no class are the last row, from 0 to 0.
template <class W, class D>
void walk_sizes(W& w, D& delivery) {
  for (std::size_t d = 0; d < kDirs; ++d) {
    auto rows = delivery.sizes[d];
    std::uint64_t all = delivery.other_ios[d];
    for (const auto& row : rows) all += row.ios;
    if (delivery.other_ios[d] > 0) rows.push_back({0, 0, 0, delivery.other_ios[d]});
    if (!w.there(kDirKeys[d], !rows.empty())) continue;
    w.list(Key(kDirKeys[d], "classes of sizes of the direction"), "share", rows, all);
    if constexpr (!std::is_const_v<D>) {
      const bool others = !rows.empty() && rows.back().low_bytes == 0 && rows.back().high_bytes == 0;
      delivery.other_ios[d] = others ? rows.back().ios : 0;
      if (others) rows.pop_back();
      delivery.sizes[d] = std::move(rows);
    }
  }
}

template <class W>
void walk(W& w, Like<Delivery> auto& delivery, std::uint64_t reads, std::uint64_t writes) {
  w.group(Key("block_sizes", "by direction the classes of sizes that were declared; a job of one size has none"),
          [&](auto& in) { walk_sizes(in, delivery); });
  if (w.present("asked_read_percent", delivery.asked_read_percent)) {
    w.field(Key("asked_read_percent", "of a mix that is not paced"), *delivery.asked_read_percent);
    w.derived(Key("read_percent", "the same, as delivered"), [&] { return percent(reads, reads + writes); });
  }
  w.field(Key("asked_depth", "`iodepth` of all queues together"), delivery.asked_depth);
  w.field(Key("synchronous", "the engine has one I/O at a time and more were asked"), delivery.synchronous);
  w.field(Key("depth_held_down", "by the job itself: rate, thinktime, iodepth_low, verify"), delivery.depth_held_down);
  w.maybe(Key("mean_depth", "latencies of all I/Os over the time, by Little's law; without latencies unknown"),
          delivery.mean_depth);
  w.field(Key("depth_samples", "looks at the queue"), delivery.depth_samples);
  w.field(Key("full_depth_samples", "of them found it full"), delivery.full_samples);
  w.known(Key("asked_size_bytes", "`size=` in bytes"), delivery.asked_size_bytes);
  w.field(Key("window_bytes", "what of the targets the job could reach"), delivery.window_bytes);
  w.field(Key("asked_bytes", "size or io_size times loops; 0: no such bound"), delivery.asked_bytes);
  w.field(Key("done_bytes", "ramp included"), delivery.done_bytes);
  w.field(Key("work_done", "it ended because nothing was left"), delivery.work_done);
  w.field(Key("unsynced_bytes", "written into the page cache and never synced"), delivery.unsynced_bytes);
  w.field(Key("direct_ignored", "why direct=1 meant nothing; empty: it did not"), delivery.direct_ignored);
}

template <class W>
void walk(W& w, Like<Samples> auto& samples) {
  field_if(w, samples.n > 0, Key("min", "smallest"), samples.min);
  field_if(w, samples.n > 0, Key("max", "largest"), samples.max);
  field_if(w, samples.n > 0, Key("mean", "of the samples"), samples.mean);
  field_if(w, samples.n > 0, Key("stddev", "of the samples"), samples.stddev);
  w.field(Key("n", "how many"), samples.n);
}

template <class W>
void walk(W& w, Like<SeriesPoint> auto& point) {
  w.field(Key("time_ms", "end of the interval since the job began"), point.time_ms);
  w.field(Key("interval_ms", "its length"), point.interval_ms);
  w.field(Key("bytes", "moved in it"), point.bytes);
  w.field(Key("ios", "completed in it"), point.ios);
  if (w.present("lat_n", point.lat_n))
    w.field(Key("lat_n", "latencies of it, of the kind that `series_latency` names"), *point.lat_n);
  if (w.present("lat_ns_p50", point.lat_ns_p50)) w.field(Key("lat_ns_p50", "their median"), *point.lat_ns_p50);
  if (w.present("lat_ns_p99", point.lat_ns_p99))
    w.field(Key("lat_ns_p99", "of 100 latencies and more"), *point.lat_ns_p99);
  if (w.present("lat_ns_p999", point.lat_ns_p999))
    w.field(Key("lat_ns_p999", "of 1,000 latencies and more"), *point.lat_ns_p999);
}

template <class W>
void walk(W& w, Like<PriorityLatency> auto& priority, const std::vector<double>& percentiles) {
  w.field(Key("class", "0 none, 1 realtime, 2 best-effort, 3 idle"), priority.io_class);
  w.field(Key("level", "0 (first) to 7"), priority.level);
  w.field(Key("hint", "to the device"), priority.hint);
  w.latency(Key("latency", "clat, or lat where the job reports percentiles of that"), priority.latency, percentiles);
}

template <class W>
void walk(W& w, Like<Direction> auto& dir, const std::vector<double>& percentiles) {
  w.field(Key("bytes", "of completed I/Os"), dir.bytes);
  w.field(Key("ios", "completed"), dir.ios);
  w.field(Key("issued_ios", "issued, those that failed too"), dir.issued);
  w.field(Key("short_ios", "shorter than asked"), dir.short_ios);
  w.field(Key("dropped_ios", "not done"), dir.dropped_ios);
  w.field(Key("error_ios", "failed"), dir.error_ios);
  w.field(Key("moved_bytes", "all that reached the engine, ramp and reading back included: what the audit compares"),
          dir.moved_bytes);
  w.field(Key("moved_ios", "of them"), dir.moved_ios);
  w.field(Key("runtime_ms", "as fio rounds it"), dir.runtime_ms);
  w.field(Key("runtime_ns", "in which the direction was measured"), dir.runtime_ns);
  w.maybe(Key("begin_ns", "when that began, since the first job's did; of a sum the first", 15), dir.begin_ns);
  w.maybe(Key("end_ns", "when that ended; of a sum the last", 15), dir.end_ns);
  w.derived(Key("iops", "over the time from `begin_ns` to `end_ns`, not rounded; not known: over `runtime_ns`"),
            [&] { return sums::rate_of(dir).iops().value_or(kNoRate); });
  w.derived(Key("bytes_per_s", "the same"), [&] { return sums::rate_of(dir).bytes_per_s().value_or(kNoRate); });
  w.latency(Key("slat", "from issue to submission"), dir.slat, percentiles);
  w.latency(Key("clat", "from submission to completion"), dir.clat, percentiles);
  w.latency(Key("lat", "from issue to completion"), dir.lat, percentiles);
  w.latency(Key("intended_lat", "paced jobs: from when the I/O should have started to its completion"),
            dir.intended_lat, percentiles);
  w.latency(Key("start_delay", "paced jobs: from when the I/O should have started to its preparation"), dir.start_delay,
            percentiles);
  if (w.there("priorities", !dir.priorities.empty()))
    w.list(Key("priorities", "of jobs with cmdprio_*: one for each priority that has samples"), "priority",
           dir.priorities, percentiles);
  w.part(Key("bandwidth_samples_kib_s", "of every 500 ms"), dir.bw_kib_s);
  w.part(Key("iops_samples", "of every 500 ms"), dir.iops);
  w.field(Key("series_latency",
              "which latency `series` has: intended_lat where the job is paced, else lat, else clat; mixed: of several "
              "jobs' sum, each job its own; empty: none"),
          dir.series_latency);
  w.list(Key("series", "bytes, I/Os and latencies of each interval"), "point", dir.series);
}

template <class W>
void walk(W& w, Like<QueueStats::Device> auto& device, const std::vector<DeviceRow>& rows) {
  w.field(Key("name", "as it was named: `0000:01:00.0/2`, `soft`"), device.name);
  w.field(Key("model", "of the controller"), device.model);
  w.field(Key("serial", "of the controller"), device.serial);
  w.field(Key("firmware", "of the controller"), device.firmware);
  if (w.there("keeps_data", !device.keeps_data))
    w.field(Key("keeps_data", "false: it completes commands and moves no data; absent: it keeps data", 15),
            device.keeps_data);
  w.derived(Key("pcie", "it is on the PCI bus; no for soft and vfio-user"), [&] { return on_pcie(device.name); });
  w.field(Key("block_bytes", "of the namespace"), device.block_bytes);
  w.field(Key("size_bytes", "of the namespace"), device.size_bytes);
  w.group(Key("kept", "what the job counted for this device alone; 0: it does not keep its devices apart"),
          [&](auto& in) {
            in.field(Key("read_ios", "completed"), device.read_ios);
            in.field(Key("write_ios", "completed"), device.write_ios);
            in.field(Key("trim_ios", "completed"), device.trim_ios);
            in.field(Key("lat_ns_sum", "of their latencies"), device.lat_ns_sum);
            in.field(Key("lat_ns_min", "shortest"), device.lat_ns_min);
            in.field(Key("lat_ns_max", "longest"), device.lat_ns_max);
          });
  const auto row = std::find_if(rows.rbegin(), rows.rend(), [&](const auto& r) { return r.name == device.name; });
  if (!w.there("iops", row != rows.rend())) return;
  w.derived(Key("iops", "of the device, where they were kept apart"), [&] { return row->iops; });
  w.derived(Key("bytes_per_s", "the same"), [&] { return row->bytes_per_s; });
  w.derived(Key("lat_ns_mean", "the same"), [&] { return row->mean_ns; });
  w.derived(Key("lat_ns_min", "the same"), [&] { return row->min_ns; });
  w.derived(Key("lat_ns_max", "the same"), [&] { return row->max_ns; });
}

template <class W>
void walk(W& w, Like<QueueStats> auto& queue, const std::vector<DeviceRow>& rows) {
  w.field(Key("queue_pairs", "of the job"), queue.queue_pairs);
  w.field(Key("commands", "given to the device"), queue.commands);
  w.field(Key("completions", "that came back"), queue.completions);
  w.field(Key("sq_doorbells", "writes of the submission doorbell"), queue.sq_doorbells);
  w.field(Key("cq_doorbells", "writes of the completion doorbell"), queue.cq_doorbells);
  w.field(Key("polls", "looks at a completion ring"), queue.polls);
  w.field(Key("idle_polls", "those that found nothing"), queue.idle_polls);
  w.field(Key("waited", "commands that waited for a slot"), queue.waited);
  w.field(Key("split", "by the largest transfer"), queue.split);
  w.field(Key("strange", "completions that belong to no command"), queue.unexpected);
  w.field(Key("timeouts", "commands that timed out"), queue.timeouts);
  w.field(Key("aborted", "commands"), queue.aborted);
  w.field(Key("idle_ns", "of the measured time, waiting with nothing to do"), queue.idle_ns);
  w.field(Key("busy_ns", "the rest"), queue.busy_ns);
  w.known(Key("ticks_per_ns", "of the CPU clock"), queue.ticks_per_ns);
  w.field(Key("sq_copy", "how commands are written into the ring"), queue.sq_copy);
  w.field(Key("doorbell_cost_ns", "above 0: a modelled price of a doorbell, and every rate is the model's"),
          queue.doorbell_cost_ns);
  w.field(Key("ios", "of the job, while these were counted"), queue.ios);
  const auto rates = queue_rates(queue);
  w.derived(Key("idle_percent", "of time"), [&] { return rates.idle_percent; });
  w.derived(Key("ios_per_sq_doorbell", "I/Os"), [&] { return rates.ios_per_sq_doorbell; });
  w.derived(Key("ios_per_cq_doorbell", "I/Os"), [&] { return rates.ios_per_cq_doorbell; });
  w.derived(Key("completions_per_poll", "of those polls that found any"), [&] { return rates.completions_per_poll; });
  w.derived(Key("busy_ns_per_io", "the driver's number where the device sets the pace"),
            [&] { return rates.busy_ns_per_io; });
  w.derived(Key("busy_ticks_per_io", "the same in ticks"), [&] { return rates.busy_ticks_per_io; });
  w.derived(Key("budget_cycles_per_io", "to hold it against: 400"), [&] { return kBudgetCycles; });
  w.derived(Key("device_bound", "idle for more than 10 % of the time: IOPS is the device's number"),
            [&] { return rates.device_bound; });
  w.list(Key("devices", "of the job"), "device", queue.devices, rows);
}

template <class W>
void walk(W& w, Like<DepthCounts> auto& depth) {
  w.numbers(Key("level", "I/Os issued at depth 1, 2, 4, 8, 16, 32, 64 and above"), depth.level);
  w.numbers(Key("submit", "calls that submitted 0, 4, 8, 16, 32, 64, more"), depth.submit);
  w.numbers(Key("complete", "calls that completed 0, 4, 8, 16, 32, 64, more"), depth.complete);
  w.field(Key("submit_calls", "all of them"), depth.submit_calls);
  w.field(Key("complete_calls", "all of them"), depth.complete_calls);
}

template <class W>
void walk(W& w, Like<Reporting> auto& reporting) {
  w.field(Key("hidden", "`stats=0`: fio's reports omit the job"), reporting.hidden);
  w.field(Key("both", "`unified_rw_reporting=both`: each direction, and all of them as one"), reporting.both);
  w.field(Key("significant_figures", "of numbers in the text"), reporting.significant_figures);
  w.field(Key("kb_base", "1024 or 1000: which unit the text has first"), reporting.kb_base);
  w.field(Key("unit_base", "1: rates in bits, 8: in bytes, 0: the engine's own"), reporting.unit_base);
  w.maybe(Key("job_start_ms", "by the clock that `job_start_clock_id` names"), reporting.job_start_ms);
}

// What most runs have the same in every job, and where it then stands.
inline constexpr Key kEveryJob("every_job", "what is the same in all jobs, and then is not in them");
template <class W>
void walk_common(W& w, Like<Job> auto& job) {
  w.part(Key("clock", "the clock that stamped it, and what speaks for it"), job.clock);
  w.numbers(Key("percentile_list", "percentiles that reports give"), job.percentile_list);
  w.field(Key("slat_percentiles", "of slat too"), job.slat_percentiles);
  w.field(Key("clat_percentiles", "of clat"), job.clat_percentiles);
  w.field(Key("lat_percentiles", "of lat too"), job.lat_percentiles);
  w.field(Key("unified", "unified_rw_reporting: all directions as one"), job.unified);
}

template <class W>
void walk(W& w, Like<LatencyTarget> auto& target) {
  w.field(Key("target_ns", "that I/Os had to keep"), target.target_ns);
  w.field(Key("window_ns", "that was judged at a time"), target.window_ns);
  w.field(Key("percentile", "share of a window's I/Os that had to keep it, in percent"), target.percentile);
  w.field(Key("depth", "of the queue, where the search ended"), target.depth);
}

template <class W>
void walk(W& w, Like<BlocksByTrims> auto& blocks) {
  w.field(Key("trims", "that went well"), blocks.trims);
  w.field(Key("blocks", "that had so many"), blocks.blocks);
}

template <class W>
void walk(W& w, Like<BlockLifetimes> auto& lifetimes) {
  w.field(Key("untouched", "blocks"), lifetimes.untouched);
  w.field(Key("trimmed", "blocks of which a trim came last"), lifetimes.trimmed);
  w.field(Key("written", "a write"), lifetimes.written);
  w.field(Key("trim_failed", "blocks of which a trim failed"), lifetimes.trim_failed);
  w.field(Key("write_failed", "a write"), lifetimes.write_failed);
  w.list(Key("by_trims", "all but the untouched; those that failed: until then"), "count", lifetimes.by_trims);
}

template <class W>
void walk(W& w, Like<Verified> auto& verified) {
  w.field(Key("exact_bytes", "of the very write that was the last there"), verified.exact);
  w.field(Key("some_version_bytes", "whole blocks; of which write is not known"), verified.some_version);
  w.field(Key("withheld_bytes", "not judged: the order of overlapping writes is not known, or a write had failed"),
          verified.withheld);
  w.field(Key("overwritten_bytes", "a later write of the job came there"), verified.overwritten);
}

template <class W>
void walk(W& w, Like<SteadyState> auto& steady) {
  w.field(Key("criterion", "`iops`, `bw`, `lat`"), steady.criterion);
  w.field(Key("slope", "of the line through the values; else their largest deviation from the mean"), steady.slope);
  w.field(Key("limit", "below which it is steady"), steady.limit);
  w.field(Key("percent", "limit and value are in percent of the mean"), steady.percent);
  w.field(Key("duration_s", "of what is judged"), steady.duration_s);
  w.field(Key("attained", "which ended the job"), steady.attained);
  w.field(Key("value", "held against the limit last"), steady.value);
  w.field(Key("max_deviation", "of that, in I/Os or bytes a second or ns"), steady.max_deviation);
  w.field(Key("slope_value", "of them, an interval"), steady.slope_value);
  w.numbers(Key("iops", "of each interval, oldest first"), steady.iops);
  w.numbers(Key("bytes_per_s", "of each interval"), steady.bytes_per_s);
  w.numbers(Key("lat_ns", "of each interval, the mean completion latency; only where that is the criterion"),
            steady.lat_ns);
}

template <class W>
void walk_identity(W& w, Like<Job> auto& job) {
  w.field(Key("name", "of the job"), job.name);
  w.field(Key("job_number", "in the run, from 0"), job.job_number);
  w.field(Key("group_id", "fio's group"), job.group_id);
  w.field(Key("members", "above 1: a sum of so many"), job.members);
  w.field(Key("section", "of the job file; clones made by numjobs share it"), job.section);
  w.field(Key("description", "the job's own"), job.description);
  w.known(Key("pid", "of the worker; null: none was started"), job.pid);
  w.field(Key("thread", "the worker is a thread"), job.thread);
  w.field(Key("engine", "by name"), job.engine);
  w.field(Key("rw", "`randread`, `rw`, ..."), job.rw);
  w.field(Key("iodepth", "of the job; 0: not known"), job.iodepth);
  w.numbers(Key("bs_min_bytes", "by direction"), job.bs_min);
  w.numbers(Key("bs_max_bytes", "by direction"), job.bs_max);
  w.pairs(Key("options", "as the user wrote them"), "option", job.options);
  if (w.there("seeds", !job.seeds.empty()))
    w.pairs(Key("seeds", "options that make this repetition again; absent: the job as it is written does", 15), "seed",
            job.seeds);
  if (w.there("reporting", job.reporting != Reporting{}))
    w.part(Key("reporting", "how fio's reports show it; absent: as by default"), job.reporting);
  w.known(Key("start_epoch_ms", "when it began"), job.start_epoch_ms);
  w.field(Key("elapsed_s", "as fio rounds it"), job.elapsed_s);
  w.field(Key("job_runtime_ms", "of all directions"), job.job_runtime_ms);
  w.field(Key("interrupted", "by a signal"), job.interrupted);
  if (w.there("running", job.running || job.eta_s != 0)) {
    w.field(Key("running", "of a report made while the job ran; absent: it was over"), job.running);
    w.field(Key("eta_s", "of the run, then"), job.eta_s);
  }
  w.field(Key("error", "errno of what ended it; 0: nothing"), job.error);
  w.field(Key("error_count", "failed I/Os, all"), job.error_count);
  w.list(Key("errors", "the first of them"), "error", job.errors);
  w.field(Key("goes_on", "after failed I/Os: continue_on_error, ignore_error"), job.goes_on);
  w.field(Key("io_errors", "I/Os that failed, also in the ramp"), job.io_errors);
  w.field(Key("first_io_error", "errno of the first of them, though the job went on; 0: none"), job.first_io_error);
}

template <class W>
void walk_usage(W& w, Like<Job> auto& job) {
  w.field(Key("usr_cpu_percent", "of the worker"), job.usr_cpu_percent);
  w.field(Key("sys_cpu_percent", "of the worker"), job.sys_cpu_percent);
  if (w.present("cpu_wait_percent", job.cpu_wait_percent))
    w.field(Key("cpu_wait_percent", "of its time the worker was ready and waited for a CPU; absent: not known", 15),
            *job.cpu_wait_percent);
  w.field(Key("context_switches", "of the worker"), job.ctx_switches);
  w.field(Key("major_faults", "of the worker"), job.major_faults);
  w.field(Key("minor_faults", "of the worker"), job.minor_faults);
  w.part(Key("depth", "I/Os in flight"), job.depth);
  if (w.there("latency_shares_percent", !job.latency_shares.empty()))
    w.numbers(Key("latency_shares_percent", "of fio's files without histograms: `latency_ns` to `latency_ms`"),
              job.latency_shares);
}

template <class W>
void walk(W& w, Like<Job> auto& job) {
  walk_identity(w, job);
  w.part(Key("stamps", "how wide a clock reading is"), job.stamps);
  w.common(job);
  if (w.present("own_cost", job.own_cost))
    w.part(Key("own_cost", "what fathom itself spends here; absent for runs under 100 ms and for `sim`"),
           *job.own_cost);
  if (w.present("process_io", job.process_io.readable))
    w.part(Key("process_io",
               "what the kernel charged to the worker between its first and its last I/O, ramp included "
               "(/proc/PID/io); absent where it could not be read; a sum has it only if all members have"),
           job.process_io);
  if (w.present("queue", job.queue))
    w.part(Key("queue", "only jobs whose engine has queue pairs of its own (`ioengine=nvme`)"), *job.queue,
           device_rows(job));
  w.part(Key("rate", "whether the job was paced, and what was kept"), job.rate);
  if (w.there("latency_target", job.latency_target != LatencyTarget{}))
    w.part(Key("latency_target", "which depth keeps a latency; absent: it was not searched for"), job.latency_target);
  if (w.present("steady_state", job.steady_state))
    w.part(Key("steady_state", "whether it had stopped changing; absent: it was not asked"), *job.steady_state);
  if (w.present("block_lifetimes", job.block_lifetimes))
    w.part(Key("block_lifetimes", "of blocks of the smallest trim; absent: it was not asked"), *job.block_lifetimes);
  w.part(Key("delivery", "what was delivered beside what was asked"), job.delivery, job.dirs[0].ios, job.dirs[1].ios);
  for (std::size_t i = 0; i < kDirs; ++i) {
    const auto& dir = job.dirs[i];
    if (w.there(kDirKeys[i], dir != Direction{}))
      w.part(Key(kDirKeys[i], "only directions that did something"), job.dirs[i], job.percentile_list);
  }
  walk_usage(w, job);
  w.field(Key("series_width_ms", "what a point of its `series[]` stands for"), job.series_width_ms);
  w.field(Key("read_back_ns", "verify=: reading back, after what run times of writes cover"), job.read_back_ns);
  if (w.there("verified", job.verified != Verified{}))
    w.part(Key("verified", "what verify= has checked of the job's writes, and against what; absent: nothing"),
           job.verified);
  w.field(Key("has_slat", "the engine is asynchronous"), job.has_slat);
  w.field(Key("sync_ios", "fsync, fdatasync and the like"), job.sync_ios);
  w.latency(Key("sync_lat", "of them"), job.sync_lat, job.percentile_list);
}

}  // namespace fathom::result
