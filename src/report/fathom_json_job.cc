// Only directions that did something are written. Latency from the intended start is always written where a job was
// paced: fio's part has no place for it.
#include "report/fathom_json_job.h"

#include "report/derived.h"
#include "report/fathom_json_queue.h"
#include "report/fio_json_latency.h"

namespace fathom::report {
namespace {

void write_width(JsonWriter& w, std::string_view key, const result::StampWidth& width) {
  w.begin_object(key);
  w.field("batches", width.batches);
  w.field("ios", width.ios);
  w.field("max_ios", width.max_ios);
  w.field("mean_ns", width.mean_ns);
  w.field("max_ns", width.max_ns);
  w.end_object();
}

void write_stamps(JsonWriter& w, const result::Stamps& stamps) {
  w.begin_object("stamps");
  w.field("placement", stamps.placement);
  write_width(w, "submit", stamps.submit);
  write_width(w, "reap", stamps.reap);
  w.end_object();
}

void write_clock(JsonWriter& w, const result::ClockFacts& clock) {
  w.begin_object("clock");
  w.field("source", clock.source);
  w.field("verdict", clock.verdict);
  w.field("ticks_per_second", clock.ticks_per_second);
  w.field("calibration", clock.calibration);
  w.field("calibration_error_ppm", clock.calibration_error_ppm);
  w.field("resolution_ns", clock.resolution_ns);
  w.field("read_cost_ns", clock.read_cost_ns);
  w.field("test", clock.test);
  w.field("test_cached", clock.test_cached);
  w.field("check_skipped", clock.check_skipped);
  w.field("cpus_tested", clock.cpus_tested);
  w.field("detectable_ns", clock.detectable_ns);
  w.field("mismatches", clock.mismatches);
  w.field("fit", clock.fit);
  w.field("fell_back", clock.fell_back);
  w.field("reason", clock.reason);
  if (clock.drift_ppm) {
    w.field("drift_ppm", *clock.drift_ppm);
    w.field("drift_bound_ppm", clock.drift_bound_ppm);
  }
  if (clock.boot_drift_ppm) {
    w.field("boot_drift_ppm", *clock.boot_drift_ppm);
    w.field("boot_drift_bound_ppm", clock.boot_drift_bound_ppm);
    w.field("boot_drift_over_s", clock.boot_drift_over_s);
  }
  w.end_object();
}

void write_own_cost(JsonWriter& w, const result::OwnCost& cost) {
  w.begin_object("own_cost");
  w.field("record_ns", cost.record_ns);
  w.field("loop_ns_per_io", cost.loop_ns_per_io);
  w.end_object();
}

void write_process_io(JsonWriter& w, const result::ProcessIo& io) {
  w.begin_object("process_io");
  w.field("rchar", io.rchar);
  w.field("wchar", io.wchar);
  w.field("read_bytes", io.read_bytes);
  w.field("write_bytes", io.write_bytes);
  w.field("cancelled_write_bytes", io.cancelled_write_bytes);
  w.end_object();
}

void write_rate(JsonWriter& w, const result::Rate& rate) {
  w.begin_object("rate");
  w.field("paced", rate.paced);
  w.field("late_ios", rate.late_ios);
  w.begin_object("asked_iops");
  for (std::size_t i = 0; i < result::kDirs; ++i) w.field(kDirNames[i], rate.asked_iops[i]);
  w.end_object();
  w.begin_object("asked_bytes_per_s");
  for (std::size_t i = 0; i < result::kDirs; ++i) w.field(kDirNames[i], rate.asked_bytes_per_s[i]);
  w.end_object();
  w.end_object();
}

void write_sizes(JsonWriter& w, const result::Delivery& delivery) {
  w.begin_object("block_sizes");
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    if (delivery.sizes[d].empty()) continue;
    std::uint64_t all = delivery.other_ios[d];
    for (const auto& share : delivery.sizes[d]) all += share.ios;
    w.begin_array(kDirNames[d]);
    const auto write = [&](std::uint64_t low, std::uint64_t high, double asked, std::uint64_t ios) {
      w.begin_object();
      w.field("low_bytes", low);
      w.field("high_bytes", high);
      w.field("asked_percent", asked);
      w.field("delivered_percent", all == 0 ? 0.0 : 100 * static_cast<double>(ios) / static_cast<double>(all));
      w.field("ios", ios);
      w.end_object();
    };
    for (const auto& share : delivery.sizes[d])
      write(share.low_bytes, share.high_bytes, share.asked_percent, share.ios);
    if (delivery.other_ios[d] > 0) write(0, 0, 0, delivery.other_ios[d]);
    w.end_array();
  }
  w.end_object();
}

void write_delivery(JsonWriter& w, const result::Job& job) {
  const auto& delivery = job.delivery;
  w.begin_object("delivery");
  write_sizes(w, delivery);
  if (delivery.asked_read_percent) {
    const double ios = static_cast<double>(job.dirs[0].ios + job.dirs[1].ios);
    w.field("asked_read_percent", *delivery.asked_read_percent);
    w.field("read_percent", ios == 0 ? 0.0 : 100 * static_cast<double>(job.dirs[0].ios) / ios);
  }
  w.field("asked_depth", delivery.asked_depth);
  w.field("synchronous", delivery.synchronous);
  w.field("depth_held_down", delivery.depth_held_down);
  if (delivery.mean_depth) w.field("mean_depth", *delivery.mean_depth);
  w.field("depth_samples", delivery.depth_samples);
  w.field("full_depth_samples", delivery.full_samples);
  w.field("asked_size_bytes", delivery.asked_size_bytes);
  w.field("window_bytes", delivery.window_bytes);
  w.field("asked_bytes", delivery.asked_bytes);
  w.field("done_bytes", delivery.done_bytes);
  w.field("work_done", delivery.work_done);
  w.field("unsynced_bytes", delivery.unsynced_bytes);
  w.field("direct_ignored", delivery.direct_ignored);
  w.end_object();
}

void write_series(JsonWriter& w, const std::vector<result::SeriesPoint>& series) {
  w.begin_array("series");
  for (const auto& point : series) {
    w.begin_object();
    w.field("time_ms", point.time_ms);
    w.field("interval_ms", point.interval_ms);
    w.field("bytes", point.bytes);
    w.field("ios", point.ios);
    w.end_object();
  }
  w.end_array();
}

double per_second(std::uint64_t count, std::uint64_t runtime_ns) {
  return runtime_ns == 0 ? 0.0 : static_cast<double>(count) * 1e9 / static_cast<double>(runtime_ns);
}

void write_direction(JsonWriter& w, std::string_view key, const result::Job& job, const result::Direction& dir,
                     JobDetail detail) {
  w.begin_object(key);
  w.field("bytes", dir.bytes);
  w.field("ios", dir.ios);
  w.field("issued_ios", dir.issued);
  w.field("short_ios", dir.short_ios);
  w.field("dropped_ios", dir.dropped_ios);
  w.field("error_ios", dir.error_ios);
  w.field("moved_bytes", dir.moved_bytes);
  w.field("moved_ios", dir.moved_ios);
  w.field("runtime_ns", dir.runtime_ns);
  w.field("iops", per_second(dir.ios, dir.runtime_ns));
  w.field("bytes_per_s", per_second(dir.bytes, dir.runtime_ns));
  const LatencyDetail latency{job.percentile_list, true, detail.histograms};
  if (detail.latencies) {
    write_latency_ns(w, "slat", dir.slat, latency);
    write_latency_ns(w, "clat", dir.clat, latency);
    write_latency_ns(w, "lat", dir.lat, latency);
  }
  write_latency_ns(w, "intended_lat", dir.intended_lat, latency);
  write_latency_ns(w, "start_delay", dir.start_delay, latency);
  if (detail.series) write_series(w, dir.series);
  w.end_object();
}

bool did_something(const result::Direction& dir) { return used(dir) || dir.issued > 0 || dir.error_ios > 0; }

}  // namespace

void write_io_errors(JsonWriter& w, const std::vector<result::IoError>& errors) {
  w.begin_array("errors");
  for (const auto& error : errors) {
    w.begin_object();
    w.field("errno", error.err);
    w.field("op", error.op);
    w.field("file", error.file);
    w.field("offset_bytes", error.offset_bytes);
    w.field("length_bytes", error.length_bytes);
    w.field("message", error.message);
    w.field("job", error.job);
    w.end_object();
  }
  w.end_array();
}

void write_fathom_job(JsonWriter& w, const result::Job& job, JobDetail detail) {
  w.begin_object();
  w.field("name", job.name);
  w.field("job_number", job.job_number);
  w.field("group_id", job.group_id);
  w.field("members", job.members);
  w.field("pid", job.pid);
  w.field("thread", job.thread);
  w.field("engine", job.engine);
  w.field("rw", job.rw);
  w.field("iodepth", job.iodepth);
  w.field("start_epoch_ms", job.start_epoch_ms);
  w.field("interrupted", job.interrupted);
  w.field("error", job.error);
  w.field("error_count", job.error_count);
  write_io_errors(w, job.errors);
  write_stamps(w, job.stamps);
  write_clock(w, job.clock);
  if (job.own_cost) write_own_cost(w, *job.own_cost);
  if (job.process_io.readable) write_process_io(w, job.process_io);
  if (job.queue) write_queue(w, job);
  write_rate(w, job.rate);
  write_delivery(w, job);
  for (std::size_t i = 0; i < result::kDirs; ++i)
    if (did_something(job.dirs[i])) write_direction(w, kDirNames[i], job, job.dirs[i], detail);
  if (detail.series) w.field("series_width_ms", job.series_width_ms);
  w.field("sync_ios", job.sync_ios);
  if (detail.latencies) write_latency_ns(w, "sync_lat", job.sync_lat, {job.percentile_list, true, detail.histograms});
  w.end_object();
}

}  // namespace fathom::report
