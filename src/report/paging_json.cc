// What was asked, what came of it: classes, threads, devices, series, Table 2. The conditions it ran under are in
// paging_json_conditions.cc.
#include "report/paging_json.h"

#include "report/derived.h"
#include "report/fathom_json.h"
#include "report/fio_json_latency.h"
#include "report/json_fields.h"
#include "report/paging_view.h"

namespace fathom::report {
namespace {

using result::AccessClass;
using result::AccessDir;

constexpr double kPercentiles[] = {1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

void write_asked(JsonWriter& w, const result::Paging& p) {
  w.field("duration_s", p.duration_s);
  w.field("map_bytes", p.map_bytes);
  w.field("set_bytes", p.set_bytes);
  w.field("page_bytes", p.page_bytes);
  w.field("pattern", p.pattern);
  w.field("shape", p.shape);
  w.field("memory", p.memory);
  w.field("access", p.access);
  w.field("fill", p.fill);
  if (p.read_percent >= 0) w.field("read_percent", p.read_percent);
  w.field("threads", p.threads);
  w.field("processes", p.processes);
  if (p.read_percent >= 0) w.field("offset_words", p.offset_words);
  w.field("delay_ticks", p.delay_ticks);
  w.field("cold", p.cold);
  w.field("classified", p.classified);
  w.field("quiet", p.quiet);
  w.field("seed", p.seed);
  w.begin_object("conditions");
  for (const auto& [option, value] : p.conditions) w.field(option, value);
  w.end_object();
}

// [class][direction], and what of all accesses and of their time each holds.
void write_classes(JsonWriter& w, const result::AccessLatencies& latencies, bool bins) {
  const auto all = of_all(latencies).moments_ns;
  w.begin_array("classes");
  for (std::size_t c = 0; c < result::kAccessClasses; ++c) {
    for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
      const auto& latency = latencies[c][d];
      if (latency.moments_ns.n == 0) continue;
      w.begin_object();
      w.field("class", name(static_cast<AccessClass>(c)));
      w.field("direction", name(static_cast<AccessDir>(d)));
      w.field("accesses", latency.moments_ns.n);
      w.field("accesses_percent", percent_of(static_cast<double>(latency.moments_ns.n), static_cast<double>(all.n)));
      w.field("time_ns", latency.moments_ns.sum);
      w.field("time_percent", percent_of(static_cast<double>(latency.moments_ns.sum), static_cast<double>(all.sum)));
      write_access_latency(w, "latency", latency, bins);
      w.end_object();
    }
  }
  w.end_array();
}

void write_thresholds(JsonWriter& w, const result::AccessLatencies& latencies) {
  const auto all = of_all(latencies);
  w.begin_array("at_least");
  if (all.moments_ns.n > 0)
    for (const auto& row : long_accesses(all)) {
      w.begin_object();
      w.field("threshold_ns", row.threshold_ns);
      w.field("accesses", row.count);
      w.field("accesses_percent", row.count_percent);
      w.field("time_ns", row.time_ns);
      w.field("time_percent", row.time_percent);
      w.end_object();
    }
  w.end_array();
}

void write_worker(JsonWriter& w, const result::Paging& paging, const result::PagingThread& worker, bool bins) {
  const auto numbers = pmbench_thread(paging, worker);
  w.begin_object();
  w.field("process", worker.process);
  w.field("thread", worker.thread);
  w.field("tid", worker.tid);
  w.field("reads", worker.accesses[0]);
  w.field("writes", worker.accesses[1]);
  w.field("wall_ns", worker.wall_ns);
  w.field("overhead_ns", worker.overhead_ns);
  w.field("overhead_accesses", worker.overhead_accesses);
  w.field("net_mean_ns", numbers.net_us * 1e3);
  w.field("warmup_accesses", worker.warmup_accesses);
  w.field("warmup_ns", worker.warmup_ns);
  JsonFields counters(w);
  walk_faults(counters, worker);
  w.begin_array("cpus");
  for (const int cpu : worker.cpus) w.element(cpu);
  w.end_array();
  w.field("errno", worker.error);
  write_classes(w, worker.latency, bins);
  w.end_object();
}

void write_device(JsonWriter& w, const result::Paging& paging, const result::DeviceTime& device) {
  w.begin_object();
  w.field("device", device.device);
  w.field("by", device.by);
  w.field("cause", device.cause);
  write_access_latency(w, "read", device.read_ns, true);
  write_access_latency(w, "write", device.write_ns, true);
  w.field("read_bytes", device.read_bytes);
  w.field("write_bytes", device.write_bytes);
  w.field("lost", device.lost);
  w.field("seen_share", device.seen_share);
  w.field("foreign", device.foreign);
  w.field("foreign_bytes", device.foreign_bytes);
  const auto percent = served_percent(paging, device);
  if (percent) w.field("served_percent", *percent);
  if (const auto share = device_share(paging); share && !percent && device.read_ns.moments_ns.n > 0) {
    w.field("major_mean_ns", share->major_mean_ns);
    w.field("major_peak_begin_ns", share->major_peak.begin_ns);
    w.field("major_peak_end_ns", share->major_peak.end_ns);
    w.field("overhead_ns", share->overhead_ns);
    w.field("overhead_percent", share->overhead_percent);
  }
  w.end_object();
}

void write_point(JsonWriter& w, const result::PagingSeriesPoint& point) {
  w.begin_object();
  w.field("time_ms", point.time_ms);
  w.field("interval_ms", point.interval_ms);
  w.field("accesses", point.accesses);
  w.field("minor", point.minor);
  w.field("major", point.major);
  w.begin_object("kernel");
  for (const auto& [key, value] : point.kernel) w.field(key, value);
  w.end_object();
  w.begin_object("pressure_percent");
  for (const auto& [key, value] : point.pressure_percent) w.field(key, value);
  w.end_object();
  w.end_object();
}

void write_score(JsonWriter& w, const result::PagingScore& score) {
  w.begin_object("score");
  w.field("accesses_per_s", score.accesses_per_s);
  w.field("low_per_s", score.low);
  w.field("high_per_s", score.high);
  w.field("confidence", score.confidence);
  w.field("how", score.how);
  w.end_object();
}

void write_table2(JsonWriter& w, const std::vector<result::PagingTableColumn>& columns) {
  constexpr const char* kRows[] = {"all_mean_ns", "major_peak_ns", "major_mean_ns", "overhead_ns", "overhead_percent"};
  w.begin_array("table2");
  for (const auto& column : columns) {
    w.begin_object();
    w.field("name", column.name);
    for (std::size_t r = 0; r < std::size(kRows); ++r) {
      const auto& row = column.rows[r];
      w.begin_object(kRows[r]);
      w.begin_array("values");
      for (const double value : row.values) w.element(value);
      w.end_array();
      w.field("mean", row.mean);
      write_spread(w, has_interval(row), row.low, row.high);
      w.end_object();
    }
    w.field("media", column.media);
    w.field("media_ns", column.media_ns);
    w.end_object();
  }
  w.end_array();
}

}  // namespace

void write_access_latency(JsonWriter& w, std::string_view key, const result::AccessLatency& latency, bool bins) {
  write_latency_ns(w, key, {latency.moments_ns, latency.histogram_ns}, {kPercentiles, true, bins});
}

void write_paging(JsonWriter& w, const result::Paging& p, bool worker_bins) {
  w.begin_object("paging");
  write_asked(w, p);
  w.field("start_epoch_ms", p.start_epoch_ms);
  w.field("window_ns", p.window_ns);
  w.field("setup_ns", p.setup_ns);
  w.field("interrupted", p.interrupted);
  w.field("accesses", accesses(p));
  write_score(w, p.score);
  write_classes(w, p.latency, true);
  write_thresholds(w, p.latency);
  w.begin_array("workers");
  for (const auto& worker : p.workers) write_worker(w, p, worker, worker_bins);
  w.end_array();
  w.begin_array("devices");
  for (const auto& device : p.devices) write_device(w, p, device);
  w.end_array();
  w.begin_array("series");
  for (const auto& point : p.series) write_point(w, point);
  w.end_array();
  write_table2(w, p.table2);
  write_paging_conditions(w, p);
  w.end_object();
}

}  // namespace fathom::report
