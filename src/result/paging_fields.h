// The fields of a run of `fathom paging` by the names that they carry in the element `fathom` of our XML: see fields.h.
// Beside what is told there a walker has
//   latency(name, latency)          exact sums and all buckets; absent: no samples
//   classes(name, latencies)        such an element for each class and direction
//   counts(name, each, map)         an element of <each name="key">number</each>; absent: empty
//   series(name, points)            a table: its columns, then a row of numbers for each point
#pragma once
#include <string_view>

#include "result/fields.h"

namespace fathom::result {

// Of the element `fathom`: 2 holds every field below; files without a form held fewer.
inline constexpr int kXmlForm = 2;

// pmbench's words for the kinds of a cache.
struct CacheWords {
  std::string_view ours, pmbench;
};
inline constexpr CacheWords kCacheWords[] = {{"Data", "DCACHE"}, {"Instruction", "ICACHE"}, {"Unified", "CACHE"}};

// The numbers that every point of a series has: visit(name, member).
void series_columns(auto visit) {
  visit("time_ms", &PagingSeriesPoint::time_ms);
  visit("interval_ms", &PagingSeriesPoint::interval_ms);
  visit("accesses", &PagingSeriesPoint::accesses);
  visit("minor", &PagingSeriesPoint::minor);
  visit("major", &PagingSeriesPoint::major);
}

template <class W>
void walk_faults(W& w, Like<PagingThread> auto& worker) {
  w.field("kernel_minor", worker.kernel_minor);
  w.field("kernel_major", worker.kernel_major);
  w.field("lookups", worker.lookups);
  w.field("slow_hits", worker.slow_hits);
  w.field("extra_faults", worker.extra_faults);
  w.field("own_faults", worker.own_faults);
}

template <class W>
void walk(W& w, Like<PagingThread> auto& worker) {
  w.field("process", worker.process);
  w.field("thread", worker.thread);
  w.field("tid", worker.tid);
  w.field("reads", worker.accesses[0]);
  w.field("writes", worker.accesses[1]);
  w.field("wall_ns", worker.wall_ns);
  w.field("warmup_accesses", worker.warmup_accesses);
  w.field("warmup_ns", worker.warmup_ns);
  walk_faults(w, worker);
  w.field("overhead_ns", worker.overhead_ns);
  w.field("overhead_accesses", worker.overhead_accesses);
  w.numbers("cpus", worker.cpus);
  w.field("errno", worker.error);
  w.classes("classes", worker.latency);
}

template <class W>
void walk(W& w, Like<PagingMemoryItem> auto& item) {
  w.attribute("name", item.name);
  w.field("free_kib", item.free_kib);
  w.field("buffer_kib", item.buffer_kib);
  w.field("cache_kib", item.cache_kib);
  w.field("active_kib", item.active_kib);
  w.field("inactive_kib", item.inactive_kib);
  w.field("pgpgin", item.pgpgin);
  w.field("pgpgout", item.pgpgout);
  w.field("pswpin", item.pswpin);
  w.field("pswpout", item.pswpout);
  w.field("pgmajfault", item.pgmajfault);
  w.counts("windows", "counter", item.windows);
}

template <class W>
void walk(W& w, Like<PagingCache> auto& cache) {
  w.field("type", cache.type);
  w.field("level", cache.level);
  w.field("capacity_kib", cache.capacity_kib);
  w.field("sets", cache.sets);
  w.field("line_bytes", cache.line_bytes);
  w.field("partitions", cache.partitions);
  w.field("ways", cache.ways);
}

template <class W>
void walk(W& w, Like<DeviceTime> auto& device) {
  w.field("device", device.device);
  w.field("by", device.by);
  w.field("cause", device.cause);
  w.field("read_bytes", device.read_bytes);
  w.field("write_bytes", device.write_bytes);
  w.field("lost", device.lost);
  w.field("seen_share", device.seen_share);
  w.field("foreign", device.foreign);
  w.field("foreign_bytes", device.foreign_bytes);
  w.latency("read", device.read_ns);
  w.latency("write", device.write_ns);
}

template <class W>
void walk(W& w, Like<PagingSwap> auto& swap) {
  w.field("kind", swap.kind);
  w.field("name", swap.name);
  w.field("path", swap.path);
  w.field("disk", swap.disk);
  w.field("size_bytes", swap.size_bytes);
  w.field("used_bytes", swap.used_bytes);
  w.field("compressor", swap.compressor);
  w.field("stored_bytes", swap.stored_bytes);
  w.field("compressed_bytes", swap.compressed_bytes);
}

template <class W>
void walk(W& w, Like<PagingPressure> auto& pressure) {
  w.field("limit_bytes", pressure.limit_bytes);
  w.field("controller", pressure.controller);
  bool ambient = pressure.ambient_limit_bytes > 0;  // files of schema 6 have neither
  if (w.present("ambient_limit_bytes", ambient)) {
    w.field("ambient_limit_bytes", pressure.ambient_limit_bytes);
    w.field("ambient_group", pressure.ambient_group);
  }
  w.list("swaps", "swap", pressure.swaps);
  w.pairs("settings", "setting", pressure.settings);
  w.texts("changed", pressure.changed);
  w.texts("not_possible", pressure.not_possible);
}

template <class W>
void walk(W& w, Like<PagingScore> auto& score) {
  w.field("accesses_per_s", score.accesses_per_s);
  w.field("low", score.low);
  w.field("high", score.high);
  w.field("confidence", score.confidence);
  w.field("how", score.how);
}

template <class W>
void walk(W& w, Like<PagingRow> auto& row) {
  w.numbers("values", row.values);
  w.field("mean", row.mean);
  w.field("ci95_low", row.low);
  w.field("ci95_high", row.high);
}

template <class W>
void walk(W& w, Like<PagingTableColumn> auto& column) {
  constexpr const char* kRows[] = {"all_mean_ns", "major_peak_ns", "major_mean_ns", "overhead_ns", "overhead_percent"};
  w.attribute("name", column.name);
  for (std::size_t i = 0; i < column.rows.size(); ++i) w.part(kRows[i], column.rows[i]);
  w.field("media", column.media);
  w.field("media_ns", column.media_ns);
}

// Flat: its fields stand among the run's.
template <class W>
void walk(W& w, Like<PagingClock> auto& clock) {
  w.field("stamps", clock.stamps);
  w.field("ticks_per_second", clock.ticks_per_second);
  w.field("calibration", clock.calibration);
  w.field("calibration_error_ppm", clock.calibration_error_ppm);
  w.field("step_ns", clock.step_ns);
  w.field("floor_ns", clock.floor_ns);
  w.field("floor_ns_p99", clock.floor_ns_p99);
  w.field("floor_mean_ns", clock.floor_mean_ns);
  w.field("cached_load_ns", clock.cached_load_ns);
  w.field("cached_load_mean_ns", clock.cached_load_mean_ns);
  w.field("slow_ns", clock.slow_ns);
  w.field("lookup_ns", clock.lookup_ns);
}

template <class W>
void walk_asked(W& w, Like<Paging> auto& paging) {
  w.field("duration_s", paging.duration_s);
  w.field("pattern", paging.pattern);
  w.field("shape", paging.shape);
  w.field("read_percent", paging.read_percent);
  w.field("memory", paging.memory);
  w.field("access", paging.access);
  w.field("fill", paging.fill);
  w.field("map_bytes", paging.map_bytes);
  w.field("set_bytes", paging.set_bytes);
  w.field("page_bytes", paging.page_bytes);
  w.field("threads_a_process", paging.threads);
  w.field("processes", paging.processes);
  w.field("offset_words", paging.offset_words);
  w.field("delay_ticks", paging.delay_ticks);
  w.field("cold", paging.cold);
  w.field("quiet", paging.quiet);
  w.field("seed", paging.seed);
  w.field("classified", paging.classified);
}

template <class W>
void walk(W& w, Like<Paging> auto& paging) {
  walk_asked(w, paging);
  w.field("start_epoch_ms", paging.start_epoch_ms);
  w.field("window_ns", paging.window_ns);
  w.field("setup_ns", paging.setup_ns);
  w.field("window_interrupted", paging.interrupted);
  w.field("measurement_bytes_per_thread", paging.measurement_bytes_per_thread);
  w.field("locked_bytes_per_thread", paging.locked_bytes_per_thread);
  w.field("locked", paging.locked);
  walk(w, paging.clock);
  w.field("cpu_model", paging.cpu_model);
  w.list("cpu_caches", "cpu_cache", paging.caches);
  w.pairs("conditions", "condition", paging.conditions);
  if (w.present("pressure", paging.pressure.known)) w.part("pressure", paging.pressure);
  w.part("score", paging.score);
  w.list("threads", "thread", paging.workers);
  w.classes("classes", paging.latency);
  w.list("devices", "device", paging.devices);
  w.list("snapshots", "snapshot", paging.memory_items);
  w.counts("vmstat", "counter", paging.vmstat);
  w.counts("memcg", "counter", paging.memcg);
  bool mthp = !paging.mthp.empty();  // as above
  if (w.present("mthp", mthp)) w.counts("mthp", "counter", paging.mthp);
  w.list("table2", "column", paging.table2);
  w.series("series", paging.series);
}

// Of a run that has `paging`. Repetitions are not among its fields: each is such a run again, and has none itself.
template <class W>
void walk(W& w, Like<Run> auto& run) {
  w.field("time_epoch_ms", run.time_epoch_ms);
  w.field("run_interrupted", run.interrupted);
  walk(w, *run.paging);
  w.part("program", run.program);
  w.part("host", run.host);
  w.part("settle", run.settle);
  if (w.present("audit", run.audit)) w.part("audit", run.audit.value());
  w.list("findings", "finding", run.findings);
  w.list("errors", "error", run.errors);
  w.list("repeated", "metric", run.repeated);
}

}  // namespace fathom::result
