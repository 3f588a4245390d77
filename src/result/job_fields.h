// The fields of a job: see fields.h. In addition to that list a walker has
//   latency(key, latency, percentile list)   moments, percentiles and histogram; absent without samples
//   common(job)                              values that are written once if all jobs have the same: walk_common
//   there(name, bool)                        as present, but an absent value has its default
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

// A value that cannot be computed is not a number.
inline constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();
inline double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

template <class W, class L>
void walk_latency(W& w, L& latency, const std::vector<double>& percentiles) {
  auto& moments = latency.moments_ns;
  std::uint64_t min_ns = moments.min();
  w.field(Key("n", "number of samples"), moments.n);
  w.field(Key("min_ns", "exact minimum"), min_ns);
  w.field(Key("max_ns", "exact maximum"), moments.max);
  w.derived(Key("mean_ns", "exact mean"), [&] { return moments.mean(); });
  w.derived(Key("stddev_ns", "exact standard deviation (n - 1)"), [&] { return moments.stddev(); });
  w.field(Key("sum_ns", "sum of the samples"), moments.sum);
  w.wide(Key("sum_squares_ns2", "sum of the squares, as a string of digits: up to 39"), moments.sum_squares);
  w.percentile_table(Key("percentiles_ns", "latency by percentile"), latency, percentiles);
  w.histogram(Key("histogram_ns", "pairs in rising order: representative value of a bucket, and its count"),
              latency.histogram_ns);
  if constexpr (!std::is_const_v<L>) moments.min_inverted = moments.n == 0 ? 0 : ~min_ns;
}

template <class W>
void walk(W& w, Like<StampWidth> auto& width) {
  w.field(Key("batches", "number of clock reads"), width.batches);
  w.field(Key("ios", "number of I/Os that these clock reads cover"), width.ios);
  w.field(Key("max_ios", "largest number of I/Os that shared one clock read"), width.max_ios);
  field_if(w, width.batches > 0, Key("mean_ns", "mean time that one clock read represents"), width.mean_ns);
  field_if(w, width.batches > 0, Key("max_ns", "longest time that one clock read represents"), width.max_ns);
}

template <class W>
void walk(W& w, Like<Stamps> auto& stamps) {
  w.field(Key("placement", "`fathom`: issue is timestamped before the submitting call, `fio`: after it"),
          stamps.placement);
  w.part(Key("submit", "timestamps at issue"), stamps.submit);
  w.part(Key("reap", "timestamps at completion"), stamps.reap);
}

template <class W>
void walk(W& w, Like<ClockFacts> auto& clock) {
  w.field(Key("source", "clock of the timestamps: `cpu`, `clock_gettime`, `gettimeofday`, `sim`"), clock.source);
  w.field(Key("verdict", "verdict of the CPU clock's cross-core test: `not tested`, `passed`, `failed`"),
          clock.verdict);
  w.known(Key("ticks_per_second", "rate of the clock"), clock.ticks_per_second);
  w.field(Key("calibration", "how the rate was determined"), clock.calibration);
  field_if(w, !clock.calibration.empty(), Key("calibration_error_ppm", "bound on the error of the rate"),
           clock.calibration_error_ppm);
  w.known(Key("resolution_ns", "smallest step that the clock often shows"), clock.resolution_ns);
  w.known(Key("read_cost_ns", "median cost of one clock read"), clock.read_cost_ns);
  w.field(Key("test", "cross-core test: `none`, `short`, `long`"), clock.test);
  w.field(Key("test_cached", "the verdict is of an earlier test of this boot"), clock.test_cached);
  w.field(Key("check_skipped", "`--clock-check=skip` was given"), clock.check_skipped);
  w.field(Key("cpus_tested", "CPUs in the test, `0-3,8`; empty: none"), clock.cpus_tested);
  w.known(Key("detectable_ns", "smallest offset between CPUs that the test can detect"), clock.detectable_ns);
  w.field(Key("mismatches", "readings in the test that are lower than the one before in its sequence"),
          clock.mismatches);
  w.field(Key("fit", "the clock is fit for use, as far as is known"), clock.fit);
  w.field(Key("fell_back", "the CPU clock would have been used, but was not"), clock.fell_back);
  w.field(Key("reason", "sentence: why this clock was used, or why it is unfit"), clock.reason);
  if (w.present("drift_ppm", clock.drift_ppm)) {
    w.field(Key("drift_ppm", "drift of the CPU clock's conversion over the run, relative to CLOCK_MONOTONIC_RAW"),
            *clock.drift_ppm);
    w.field(Key("drift_bound_ppm", "error of the drift; larger for shorter runs"), clock.drift_bound_ppm);
  }
  if (w.present("boot_drift_ppm", clock.boot_drift_ppm)) {
    w.field(Key("boot_drift_ppm", "drift in an earlier run of this boot with a tighter bound"), *clock.boot_drift_ppm);
    w.field(Key("boot_drift_bound_ppm", "error of that drift"), clock.boot_drift_bound_ppm);
    w.field(Key("boot_drift_over_s", "length of that earlier run"), clock.boot_drift_over_s);
  }
}

template <class W>
void walk(W& w, Like<OwnCost> auto& cost) {
  w.field(Key("record_ns", "time to record one latency in moments and histogram"), cost.record_ns);
  w.field(Key("loop_ns_per_io", "total time per I/O with an engine that does nothing, at this job's depth"),
          cost.loop_ns_per_io);
}

template <class W>
void walk(W& w, Like<ProcessIo> auto& io) {
  w.field(Key("rchar", "bytes of read system calls, without io_uring"), io.rchar);
  w.field(Key("wchar", "bytes of write system calls, without io_uring"), io.wchar);
  w.field(Key("read_bytes", "bytes read from storage"), io.read_bytes);
  w.field(Key("write_bytes", "bytes written to storage"), io.write_bytes);
  w.field(Key("cancelled_write_bytes", "bytes that never left memory"), io.cancelled_write_bytes);
}

template <class W>
void walk(W& w, Like<Rate> auto& rate) {
  w.field(Key("paced", "a rate was requested"), rate.paced);
  w.field(Key("late_ios", "I/Os issued more than 1 ms after their intended start"), rate.late_ios);
  w.group(Key("asked_iops", "requested rate by direction; 0: none"), [&](auto& in) {
    for (std::size_t i = 0; i < kDirs; ++i) in.field(Key(kDirKeys[i]), rate.asked_iops[i]);
  });
  w.group(Key("asked_bytes_per_s", "requested rate by direction; 0: none"), [&](auto& in) {
    for (std::size_t i = 0; i < kDirs; ++i) in.field(Key(kDirKeys[i]), rate.asked_bytes_per_s[i]);
  });
}

template <class W>
void walk(W& w, Like<SizeShare> auto& share, std::uint64_t all) {
  w.field(Key("low_bytes", "smallest size of the class"), share.low_bytes);
  w.field(Key("high_bytes", "largest size of the class"), share.high_bytes);
  w.field(Key("asked_percent", "requested share of the direction's I/Os"), share.asked_percent);
  w.derived(Key("delivered_percent", "share of the issued I/Os of the direction"),
            [&] { return percent(share.ios, all); });
  w.field(Key("ios", "I/Os issued in the measured interval"), share.ios);
}

// The last row, from 0 to 0, has the sizes of no class.
template <class W, class D>
void walk_sizes(W& w, D& delivery) {
  for (std::size_t d = 0; d < kDirs; ++d) {
    auto rows = delivery.sizes[d];
    std::uint64_t all = delivery.other_ios[d];
    for (const auto& row : rows) all += row.ios;
    if (delivery.other_ios[d] > 0) rows.push_back({0, 0, 0, delivery.other_ios[d]});
    if (!w.there(kDirKeys[d], !rows.empty())) continue;
    w.list(Key(kDirKeys[d], "size classes of the direction"), "share", rows, all);
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
  w.group(Key("block_sizes", "declared size classes by direction; empty for a job with one size"),
          [&](auto& in) { walk_sizes(in, delivery); });
  if (w.present("asked_read_percent", delivery.asked_read_percent)) {
    w.field(Key("asked_read_percent", "requested share of reads in a mix without a rate"),
            *delivery.asked_read_percent);
    w.derived(Key("read_percent", "achieved share of reads"), [&] { return percent(reads, reads + writes); });
  }
  w.field(Key("asked_depth", "`iodepth`, summed over all queues"), delivery.asked_depth);
  w.field(Key("synchronous", "the engine has one I/O in flight, but more were requested"), delivery.synchronous);
  w.field(Key("depth_held_down", "the job itself limits the depth: rate, thinktime, iodepth_low, verify, and others"),
          delivery.depth_held_down);
  w.maybe(Key("mean_depth", "mean depth by Little's law: sum of all latencies over the time; null without latencies"),
          delivery.mean_depth);
  w.field(Key("depth_samples", "number of times the queue was sampled"), delivery.depth_samples);
  w.field(Key("full_depth_samples", "samples with a full queue"), delivery.full_samples);
  w.known(Key("asked_size_bytes", "`size=` in bytes"), delivery.asked_size_bytes);
  w.field(Key("window_bytes", "bytes of the targets that the job could access"), delivery.window_bytes);
  w.field(Key("asked_bytes", "size or io_size times loops; 0: no such limit"), delivery.asked_bytes);
  w.field(Key("done_bytes", "transferred bytes, ramp included"), delivery.done_bytes);
  w.field(Key("work_done", "the job ended because no work was left"), delivery.work_done);
  w.field(Key("unsynced_bytes", "bytes written into the page cache and never synced"), delivery.unsynced_bytes);
  w.field(Key("direct_ignored", "why direct=1 had no effect; empty: no such case"), delivery.direct_ignored);
  if (w.there("cached_bytes", delivery.cached_bytes > 0))
    w.field(Key("cached_bytes", "with direct=1: bytes of the files that entered the page cache during the job", 15),
            delivery.cached_bytes);
  if (w.there("copied_bytes", delivery.copied_bytes > 0))
    w.field(Key("copied_bytes", "with direct=1: written through the page cache", 15), delivery.copied_bytes);
  if (w.there("pre_read_bytes", delivery.pre_read_bytes > 0))
    w.field(Key("pre_read_bytes", "read through the page cache by `pre_read=1`, before the job began", 15),
            delivery.pre_read_bytes);
}

template <class W>
void walk(W& w, Like<Samples> auto& samples) {
  field_if(w, samples.n > 0, Key("min", "smallest sample"), samples.min);
  field_if(w, samples.n > 0, Key("max", "largest sample"), samples.max);
  field_if(w, samples.n > 0, Key("mean", "mean of the samples"), samples.mean);
  field_if(w, samples.n > 0, Key("stddev", "standard deviation of the samples"), samples.stddev);
  w.field(Key("n", "number of samples"), samples.n);
}

template <class W>
void walk(W& w, Like<SeriesPoint> auto& point) {
  w.field(Key("time_ms", "end of the interval, since the job began"), point.time_ms);
  w.field(Key("interval_ms", "length of the interval"), point.interval_ms);
  w.field(Key("bytes", "bytes transferred in the interval"), point.bytes);
  w.field(Key("ios", "I/Os completed in the interval"), point.ios);
  if (w.present("lat_n", point.lat_n))
    w.field(Key("lat_n", "number of latencies in the interval, of the kind in `series_latency`"), *point.lat_n);
  if (w.present("lat_ns_p50", point.lat_ns_p50))
    w.field(Key("lat_ns_p50", "median of these latencies"), *point.lat_ns_p50);
  if (w.present("lat_ns_p99", point.lat_ns_p99))
    w.field(Key("lat_ns_p99", "99th percentile; only for 100 or more latencies"), *point.lat_ns_p99);
  if (w.present("lat_ns_p999", point.lat_ns_p999))
    w.field(Key("lat_ns_p999", "99.9th percentile; only for 1,000 or more latencies"), *point.lat_ns_p999);
}

template <class W>
void walk(W& w, Like<SeriesBand> auto& band) {
  w.field(Key("from_ns", "smallest latency of the band"), band.from_ns);
  w.field(Key("to_ns", "smallest latency above the band"), band.to_ns);
  w.numbers(Key("counts", "latencies of the band, one number per point of `series`"), band.counts);
}

template <class W>
void walk(W& w, Like<PriorityLatency> auto& priority, const std::vector<double>& percentiles) {
  w.field(Key("class", "priority class: 0 none, 1 realtime, 2 best-effort, 3 idle"), priority.io_class);
  w.field(Key("level", "priority level: 0 (first) to 7"), priority.level);
  w.field(Key("hint", "hint to the device"), priority.hint);
  w.latency(Key("latency", "clat; lat if the job reports percentiles of lat"), priority.latency, percentiles);
}

template <class W>
void walk(W& w, Like<Direction> auto& dir, const std::vector<double>& percentiles) {
  w.field(Key("bytes", "bytes of completed I/Os"), dir.bytes);
  w.field(Key("ios", "completed I/Os"), dir.ios);
  w.field(Key("issued_ios", "issued I/Os, failed ones included"), dir.issued);
  w.field(Key("short_ios", "I/Os shorter than requested"), dir.short_ios);
  w.field(Key("dropped_ios", "datagrams that did not arrive, for a job that receives"), dir.dropped_ios);
  w.field(Key("error_ios", "failed I/Os"), dir.error_ios);
  w.field(
      Key("moved_bytes",
          "all bytes that reached the engine, with ramp, read-back and second reads of wrong blocks: for the audit"),
      dir.moved_bytes);
  w.field(Key("moved_ios", "I/Os of these bytes"), dir.moved_ios);
  w.field(Key("runtime_ms", "run time as fio rounds it"), dir.runtime_ms);
  w.field(Key("runtime_ns", "time in which the direction was measured"), dir.runtime_ns);
  w.maybe(Key("begin_ns", "start of that time, counted from the first job's start; of a sum: the first one", 15),
          dir.begin_ns);
  w.maybe(Key("end_ns", "end of that time; of a sum: the last one", 15), dir.end_ns);
  w.derived(
      Key("iops", "I/Os per second from `begin_ns` to `end_ns`, not rounded; over `runtime_ns` if these are unknown"),
      [&] { return sums::rate_of(dir).iops().value_or(kNoRate); });
  w.derived(Key("bytes_per_s", "bytes per second over the same time"),
            [&] { return sums::rate_of(dir).bytes_per_s().value_or(kNoRate); });
  w.latency(Key("slat", "from issue to submission"), dir.slat, percentiles);
  w.latency(Key("clat", "from submission to completion"), dir.clat, percentiles);
  w.latency(Key("lat", "from issue to completion"), dir.lat, percentiles);
  w.latency(Key("intended_lat", "of paced jobs: from the intended start to completion"), dir.intended_lat, percentiles);
  w.latency(Key("start_delay", "of paced jobs: from the intended start to preparation"), dir.start_delay, percentiles);
  if (w.there("priorities", !dir.priorities.empty()))
    w.list(Key("priorities", "of jobs with cmdprio_*: one per priority with samples"), "priority", dir.priorities,
           percentiles);
  w.part(Key("bandwidth_samples_kib_s", "bandwidth, one sample per 500 ms"), dir.bw_kib_s);
  w.part(Key("iops_samples", "IOPS, one sample per 500 ms"), dir.iops);
  w.field(Key("series_latency",
              "latency in `series`: intended_lat for a paced job, else lat, else clat; mixed: a sum of several jobs, "
              "each with its own kind; empty: none"),
          dir.series_latency);
  w.list(Key("series", "bytes, I/Os and latencies of each interval"), "point", dir.series);
  if (w.there("series_bands", !dir.series_bands.empty()))
    w.list(Key("series_bands", "histogram of each interval: one per band of latency that has I/Os, four per octave"),
           "band", dir.series_bands);
}

template <class W>
void walk(W& w, Like<QueueStats::Device> auto& device, const std::vector<DeviceRow>& rows) {
  w.field(Key("name", "as given by the user: `0000:01:00.0/2`, `soft`"), device.name);
  w.field(Key("model", "model of the controller"), device.model);
  w.field(Key("serial", "serial number of the controller"), device.serial);
  w.field(Key("firmware", "firmware revision of the controller"), device.firmware);
  if (w.there("keeps_data", !device.keeps_data))
    w.field(
        Key("keeps_data", "false: the controller completes commands without data transfer; absent: it keeps data", 15),
        device.keeps_data);
  w.derived(Key("pcie", "the device is on the PCI bus; false for soft and vfio-user"),
            [&] { return on_pcie(device.name); });
  w.field(Key("block_bytes", "block size of the namespace"), device.block_bytes);
  w.field(Key("size_bytes", "size of the namespace"), device.size_bytes);
  w.group(Key("kept", "counts of the job for this device; 0: the job does not count per device"), [&](auto& in) {
    in.field(Key("read_ios", "completed reads"), device.read_ios);
    in.field(Key("write_ios", "completed writes"), device.write_ios);
    in.field(Key("trim_ios", "completed trims"), device.trim_ios);
    in.field(Key("lat_ns_sum", "sum of their latencies"), device.lat_ns_sum);
    in.field(Key("lat_ns_min", "shortest latency"), device.lat_ns_min);
    in.field(Key("lat_ns_max", "longest latency"), device.lat_ns_max);
  });
  const auto row = std::find_if(rows.rbegin(), rows.rend(), [&](const auto& r) { return r.name == device.name; });
  if (!w.there("iops", row != rows.rend())) return;
  w.derived(Key("iops", "I/Os per second of the device; absent: the job does not count per device"),
            [&] { return row->iops; });
  w.derived(Key("bytes_per_s", "bytes per second of the device"), [&] { return row->bytes_per_s; });
  w.derived(Key("lat_ns_mean", "mean latency of the device"), [&] { return row->mean_ns; });
  w.derived(Key("lat_ns_min", "shortest latency of the device"), [&] { return row->min_ns; });
  w.derived(Key("lat_ns_max", "longest latency of the device"), [&] { return row->max_ns; });
}

template <class W>
void walk(W& w, Like<QueueStats> auto& queue, const std::vector<DeviceRow>& rows) {
  w.field(Key("queue_pairs", "queue pairs of the job"), queue.queue_pairs);
  w.field(Key("commands", "commands submitted to the device"), queue.commands);
  w.field(Key("completions", "completions received"), queue.completions);
  w.field(Key("sq_doorbells", "writes to the submission doorbell"), queue.sq_doorbells);
  w.field(Key("cq_doorbells", "writes to the completion doorbell"), queue.cq_doorbells);
  w.field(Key("polls", "polls of a completion ring"), queue.polls);
  w.field(Key("idle_polls", "polls that found no completion"), queue.idle_polls);
  w.field(Key("waited", "commands that waited for a slot"), queue.waited);
  w.field(Key("split", "commands that the largest transfer size (MDTS) divided"), queue.split);
  w.field(Key("strange", "completions without a command in flight"), queue.unexpected);
  w.field(Key("timeouts", "commands that timed out"), queue.timeouts);
  w.field(Key("aborted", "commands that were aborted"), queue.aborted);
  w.field(Key("idle_ns", "measured time spent waiting with nothing to do"), queue.idle_ns);
  w.field(Key("busy_ns", "the rest of the measured time"), queue.busy_ns);
  w.known(Key("ticks_per_ns", "rate of the CPU clock"), queue.ticks_per_ns);
  w.field(Key("sq_copy", "how commands are copied into the ring"), queue.sq_copy);
  w.field(Key("doorbell_cost_ns", "modeled cost of a doorbell; above 0: all rates are those of the model"),
          queue.doorbell_cost_ns);
  w.field(Key("ios", "I/Os of the job while these values were counted"), queue.ios);
  const auto rates = queue_rates(queue);
  w.derived(Key("idle_percent", "`idle_ns` as a percentage of the time"), [&] { return rates.idle_percent; });
  w.derived(Key("ios_per_sq_doorbell", "I/Os per write of the submission doorbell"),
            [&] { return rates.ios_per_sq_doorbell; });
  w.derived(Key("ios_per_cq_doorbell", "I/Os per write of the completion doorbell"),
            [&] { return rates.ios_per_cq_doorbell; });
  w.derived(Key("completions_per_poll", "completions per poll that found any"),
            [&] { return rates.completions_per_poll; });
  w.derived(Key("busy_ns_per_io", "busy time per I/O: a property of the driver if the device sets the pace"),
            [&] { return rates.busy_ns_per_io; });
  w.derived(Key("busy_ticks_per_io", "busy time per I/O in ticks of the CPU clock"),
            [&] { return rates.busy_ticks_per_io; });
  w.derived(Key("budget_cycles_per_io", "reference value for the ticks: 400"), [&] { return kBudgetCycles; });
  w.derived(Key("device_bound", "idle for more than 10 % of the time: IOPS is a property of the device"),
            [&] { return rates.device_bound; });
  w.list(Key("devices", "one per device of the job"), "device", queue.devices, rows);
}

template <class W>
void walk(W& w, Like<DepthCounts> auto& depth) {
  w.numbers(Key("level", "I/Os issued at depth 1, 2, 4, 8, 16, 32, 64 and above"), depth.level);
  w.numbers(Key("submit", "calls that submitted 0, 4, 8, 16, 32, 64, more"), depth.submit);
  w.numbers(Key("complete", "calls that completed 0, 4, 8, 16, 32, 64, more"), depth.complete);
  w.field(Key("submit_calls", "all calls that submitted"), depth.submit_calls);
  w.field(Key("complete_calls", "all calls that completed"), depth.complete_calls);
}

template <class W>
void walk(W& w, Like<Reporting> auto& reporting) {
  w.field(Key("hidden", "`stats=0`: fio's reports omit the job"), reporting.hidden);
  w.field(Key("both", "`unified_rw_reporting=both`: each direction, and their sum"), reporting.both);
  w.field(Key("significant_figures", "significant figures of numbers in the text"), reporting.significant_figures);
  w.field(Key("kb_base", "1024 or 1000: the unit that the text prints first"), reporting.kb_base);
  w.field(Key("unit_base", "1: rates in bits, 8: in bytes, 0: the default of the engine"), reporting.unit_base);
  w.maybe(Key("job_start_ms", "start of the job by the clock in `job_start_clock_id`"), reporting.job_start_ms);
}

// Values that are the same in every job of most runs, and their place in that case.
inline constexpr Key kEveryJob("every_job", "keys with the same value in all jobs; the jobs do not repeat them");
template <class W>
void walk_common(W& w, Like<Job> auto& job) {
  w.part(Key("clock", "clock of the job's timestamps, and evidence for it"), job.clock);
  w.numbers(Key("percentile_list", "percentiles in reports"), job.percentile_list);
  w.field(Key("slat_percentiles", "reports have percentiles of slat"), job.slat_percentiles);
  w.field(Key("clat_percentiles", "reports have percentiles of clat"), job.clat_percentiles);
  w.field(Key("lat_percentiles", "reports have percentiles of lat"), job.lat_percentiles);
  w.field(Key("unified", "unified_rw_reporting: all directions as one"), job.unified);
}

template <class W>
void walk(W& w, Like<LatencyTarget> auto& target) {
  w.field(Key("target_ns", "latency limit of the I/Os"), target.target_ns);
  w.field(Key("window_ns", "length of the interval that is judged at a time"), target.window_ns);
  w.field(Key("percentile", "percentage of an interval's I/Os that have to meet the limit"), target.percentile);
  w.field(Key("depth", "queue depth at the end of the search"), target.depth);
}

template <class W>
void walk(W& w, Like<BlocksByTrims> auto& blocks) {
  w.field(Key("trims", "number of successful trims"), blocks.trims);
  w.field(Key("blocks", "number of blocks with this number of trims"), blocks.blocks);
}

template <class W>
void walk(W& w, Like<BlockLifetimes> auto& lifetimes) {
  w.field(Key("untouched", "blocks without trim or write"), lifetimes.untouched);
  w.field(Key("trimmed", "blocks with a trim as last operation"), lifetimes.trimmed);
  w.field(Key("written", "blocks with a write as last operation"), lifetimes.written);
  w.field(Key("trim_failed", "blocks of which a trim failed; later operations do not count"), lifetimes.trim_failed);
  w.field(Key("write_failed", "blocks of which a write failed; later operations do not count"), lifetimes.write_failed);
  w.list(Key("by_trims", "all blocks except the untouched, by number of trims; failed blocks: until the failure"),
         "count", lifetimes.by_trims);
}

template <class W>
void walk(W& w, Like<Verified> auto& verified) {
  w.field(Key("exact_bytes", "bytes of exactly the last write to their location"), verified.exact);
  w.field(Key("some_version_bytes", "whole blocks of some write: which one is unknown"), verified.some_version);
  w.field(Key("withheld_bytes", "bytes not judged: the order of overlapping writes is unknown, or a write failed"),
          verified.withheld);
  w.field(Key("overwritten_bytes", "bytes that a later write of the job replaced"), verified.overwritten);
}

template <class W>
void walk(W& w, Like<SteadyState> auto& steady) {
  w.field(Key("criterion", "criterion: `iops`, `bw`, `lat`"), steady.criterion);
  w.field(
      Key("slope", "judged by the slope of the line through the values; else by their largest deviation from the mean"),
      steady.slope);
  w.field(Key("limit", "steady below this value"), steady.limit);
  w.field(Key("percent", "limit and value are percentages of the mean"), steady.percent);
  w.field(Key("duration_s", "length of the judged time"), steady.duration_s);
  w.field(Key("attained", "the steady state was reached and ended the job"), steady.attained);
  w.field(Key("value", "last value that was compared with the limit"), steady.value);
  w.field(Key("max_deviation", "largest deviation of the criterion, in I/Os per second, bytes per second or ns"),
          steady.max_deviation);
  w.field(Key("slope_value", "slope of the criterion per interval, in the same unit"), steady.slope_value);
  w.numbers(Key("iops", "I/Os per second of each interval, oldest first"), steady.iops);
  w.numbers(Key("bytes_per_s", "bytes per second of each interval"), steady.bytes_per_s);
  w.numbers(Key("lat_ns", "mean completion latency of each interval; only with the criterion `lat`"), steady.lat_ns);
}

template <class W>
void walk(W& w, Like<ReplaySkip> auto& skip) {
  w.field(Key("reason", "why these records were not replayed"), skip.reason);
  w.field(Key("records", "number of them"), skip.records);
  if (w.there("first", !skip.first.empty()))
    w.field(Key("first", "place of the first one in the trace; absent: unknown", 15), skip.first);
}

template <class W>
void walk(W& w, Like<Replay> auto& replay, const std::vector<double>& percentiles) {
  w.field(Key("trace", "file of the trace; of a sum: the first one", 15), replay.trace);
  w.field(Key("format", "format of the trace", 15), replay.format);
  w.field(Key("pace",
              "`recorded times`; `no times`: the trace has none; `no stall`: replay_no_stall; `closed loop`, `closed "
              "loop, no pauses`: replay_loop=closed",
              15),
          replay.pace);
  if (w.there("wait", !replay.wait.empty()))
    w.field(Key("wait", "meaning of `wait` lines: `start_ms` or `previous_us`; absent: a format without them", 15),
            replay.wait);
  w.field(Key("time_scale_percent", "requested percentage of the recorded rate", 15), replay.time_scale_percent);
  w.field(Key("time_unit_ns", "resolution of the recorded times", 15), replay.time_unit_ns);
  w.field(Key("records", "records of the trace that were read", 15), replay.records);
  w.field(Key("wanted_ios", "I/Os that these records ask for, syncs included", 15), replay.wanted_ios);
  if (w.present("trace_ios", replay.trace_ios))
    w.field(Key("trace_ios", "I/Os of the whole trace; absent: it was not examined before the start", 15),
            *replay.trace_ios);
  w.field(Key("to_the_end", "nothing of the trace is left", 15), replay.to_the_end);
  w.field(Key("replayed_ios", "completed or failed I/Os, syncs included", 15), replay.replayed_ios);
  w.list(Key("skipped", "records that were not replayed, by reason", 15), "skip", replay.skipped);
  w.field(Key("times_back", "records with a time before that of their predecessor: replayed without a delay", 15),
          replay.times_back);
  w.field(Key("recorded_ns", "intended start of the last I/O", 15), replay.recorded_ns);
  w.field(Key("replayed_ns", "actual start of the last I/O", 15), replay.replayed_ns);
  w.field(Key("depth", "most I/Os in flight that the job permits", 15), replay.depth);
  if (w.present("recorded_depth", replay.recorded_depth))
    w.field(Key("recorded_depth", "most I/Os in flight in the trace; absent: the trace has no completions", 15),
            *replay.recorded_depth);
  w.latency(Key("lateness", "from the intended to the actual start of each read, write and trim", 15), replay.lateness,
            percentiles);
  w.field(Key("last_late_ns", "lateness of the last I/O", 15), replay.last_late_ns);
  w.field(Key("late_ios", "I/Os more than 1 ms late, syncs included", 15), replay.late_ios);
  w.field(Key("started_out_of_order", "I/Os that started before an I/O that precedes them in the trace", 15),
          replay.started_out_of_order);
  w.field(Key("ended_out_of_order", "I/Os that ended after an I/O that follows them in the trace", 15),
          replay.ended_out_of_order);
  w.field(Key("reader_waits", "times the job waited because the trace was not read fast enough", 15),
          replay.reader_waits);
  w.field(Key("interval_ms", "length of an interval of the next two lists", 15), replay.interval_ms);
  w.numbers(Key("recorded_ios", "reads, writes and trims that are due in each interval", 15), replay.recorded_ios);
  w.numbers(Key("achieved_ios", "those that started in each interval", 15), replay.achieved_ios);
}

template <class W>
void walk_identity(W& w, Like<Job> auto& job) {
  w.field(Key("name", "name of the job"), job.name);
  w.field(Key("job_number", "number of the job in the run, from 0"), job.job_number);
  w.field(Key("group_id", "group number of fio"), job.group_id);
  w.field(Key("members", "above 1: the job is a sum of this number of jobs"), job.members);
  w.field(Key("section", "section of the job file; clones of numjobs have the same one"), job.section);
  w.field(Key("description", "description in the job file"), job.description);
  w.known(Key("pid", "process ID of the worker; null: no worker was started"), job.pid);
  w.field(Key("thread", "the worker is a thread"), job.thread);
  w.field(Key("engine", "name of the engine"), job.engine);
  w.field(Key("rw", "pattern: `randread`, `rw`, ..."), job.rw);
  w.field(Key("iodepth", "iodepth of the job; 0: unknown"), job.iodepth);
  w.numbers(Key("bs_min_bytes", "smallest block size by direction"), job.bs_min);
  w.numbers(Key("bs_max_bytes", "largest block size by direction"), job.bs_max);
  w.pairs(Key("options", "options as written by the user"), "option", job.options);
  if (w.present("global_options", job.global_options))
    w.pairs(Key("global_options",
                "options in [global] for this job; absent: those of the run. Several job files, or several [global], "
                "have different ones",
                15),
            "option", *job.global_options);
  if (w.there("section_name", !job.section_name.empty()))
    w.field(Key("section_name", "section of the job file that `name` renamed; absent: it has the job's name", 15),
            job.section_name);
  if (w.there("seeds", !job.seeds.empty()))
    w.pairs(Key("seeds", "options that reproduce this repetition; absent: the job as written reproduces it", 15),
            "seed", job.seeds);
  if (w.there("reporting", job.reporting != Reporting{}))
    w.part(Key("reporting", "how fio's reports show the job; absent: the default"), job.reporting);
  w.known(Key("start_epoch_ms", "start of the job"), job.start_epoch_ms);
  w.field(Key("elapsed_s", "elapsed time as fio rounds it"), job.elapsed_s);
  w.field(Key("job_runtime_ms", "run time of all directions"), job.job_runtime_ms);
  w.field(Key("interrupted", "stopped by a signal"), job.interrupted);
  if (w.there("running", job.running || job.eta_s != 0)) {
    w.field(Key("running", "the job was running when the report was made; absent: it had ended"), job.running);
    w.field(Key("eta_s", "remaining time of the run at that moment"), job.eta_s);
  }
  w.field(Key("error", "errno of the error that ended the job; 0: no error"), job.error);
  w.field(Key("error_count", "number of failed I/Os"), job.error_count);
  w.list(Key("errors", "the first failed I/Os"), "error", job.errors);
  w.field(Key("goes_on", "the job continues after failed I/Os: continue_on_error, ignore_error"), job.goes_on);
  w.field(Key("io_errors", "number of failed I/Os, ramp included"), job.io_errors);
  w.field(Key("first_io_error", "errno of the first failed I/O, also if the job continued; 0: none"),
          job.first_io_error);
}

template <class W>
void walk_usage(W& w, Like<Job> auto& job) {
  w.field(Key("usr_cpu_percent", "user CPU time of the worker"), job.usr_cpu_percent);
  w.field(Key("sys_cpu_percent", "system CPU time of the worker"), job.sys_cpu_percent);
  if (w.present("cpu_wait_percent", job.cpu_wait_percent))
    w.field(Key("cpu_wait_percent",
                "share of its time in which the worker was ready and waited for a CPU; absent: unknown", 15),
            *job.cpu_wait_percent);
  if (w.there("overslept_ns", job.overslept_ns != 0))
    w.field(
        Key("overslept_ns",
            "pauses (thinktime) and waits for an intended start that took 10 ms or more too long: that time; absent: 0",
            15),
        job.overslept_ns);
  w.field(Key("context_switches", "context switches of the worker"), job.ctx_switches);
  w.field(Key("major_faults", "major faults of the worker"), job.major_faults);
  w.field(Key("minor_faults", "minor faults of the worker"), job.minor_faults);
  w.part(Key("depth", "number of I/Os in flight"), job.depth);
  if (w.there("latency_shares_percent", !job.latency_shares.empty()))
    w.numbers(Key("latency_shares_percent", "of fio's files without histograms: `latency_ns` to `latency_ms`"),
              job.latency_shares);
}

template <class W>
void walk(W& w, Like<Job> auto& job) {
  walk_identity(w, job);
  w.part(Key("stamps", "width of the timestamps"), job.stamps);
  w.common(job);
  if (w.present("own_cost", job.own_cost))
    w.part(Key("own_cost", "overhead of fathom for this job; absent for runs under 100 ms and for `sim`"),
           *job.own_cost);
  if (w.present("process_io", job.process_io.readable))
    w.part(Key("process_io",
               "I/O that the kernel charged to the worker from its first to its last I/O, ramp included "
               "(/proc/PID/io); absent if unreadable; a sum has it only if all members have it"),
           job.process_io);
  if (w.present("queue", job.queue))
    w.part(Key("queue", "only for an engine with its own queue pairs (`ioengine=nvme`)"), *job.queue, device_rows(job));
  w.part(Key("rate", "whether the job was paced, its requested rates, and late I/Os"), job.rate);
  if (w.there("latency_target", job.latency_target != LatencyTarget{}))
    w.part(Key("latency_target", "depth that meets a latency limit; absent: no search was requested"),
           job.latency_target);
  if (w.present("steady_state", job.steady_state))
    w.part(Key("steady_state", "whether the job became steady; absent: not requested"), *job.steady_state);
  if (w.present("block_lifetimes", job.block_lifetimes))
    w.part(Key("block_lifetimes", "blocks of the size of the smallest trim; absent: not requested"),
           *job.block_lifetimes);
  if (w.present("replay", job.replay))
    w.part(Key("replay", "how faithful the replay of a trace was; absent: the job replays none", 15), *job.replay,
           job.percentile_list);
  if (w.present("zone_resets", job.zone_resets))
    w.field(Key("zone_resets",
                "zonemode=zbd: zones with data that the job reset; absent: it neither writes nor trims "
                "zones",
                15),
            *job.zone_resets);
  w.part(Key("delivery", "achieved values next to the requested ones"), job.delivery, job.dirs[0].ios, job.dirs[1].ios);
  for (std::size_t i = 0; i < kDirs; ++i) {
    const auto& dir = job.dirs[i];
    if (w.there(kDirKeys[i], dir != Direction{}))
      w.part(Key(kDirKeys[i], "only if the direction did I/O"), job.dirs[i], job.percentile_list);
  }
  walk_usage(w, job);
  w.field(Key("series_width_ms", "time that a point of its `series[]` covers"), job.series_width_ms);
  w.field(Key("read_back_ns", "verify=: time of the read-back, which follows the run time of the writes"),
          job.read_back_ns);
  if (w.there("verified", job.verified != Verified{}))
    w.part(Key("verified", "how much of the job's writes verify= checked, and against what; absent: nothing"),
           job.verified);
  w.field(Key("has_slat", "the engine is asynchronous"), job.has_slat);
  w.field(Key("sync_ios", "number of calls of fsync, fdatasync and similar"), job.sync_ios);
  w.latency(Key("sync_lat", "latency of these calls"), job.sync_lat, job.percentile_list);
}

}  // namespace fathom::result
