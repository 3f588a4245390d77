// The fields of a run of `fathom paging`: see fields.h and job_fields.h. Our XML (the element `fathom` of pmbench's
// report) has the same fields. If it is older than this list, their order differs. Functions for its walkers,
// XmlWalker, are below. In addition to those lists such a walker has
//   latency(name, latency)          exact sums and all buckets; absent: no samples
//   classes(name, latencies)        one such element per class and direction
//   series(name, points)            a table: its columns, then a row of numbers for each point
#pragma once
#include <string_view>

#include "result/breakdown_fields.h"
#include "result/sums/paging_sums.h"
#include "result/watching_fields.h"

namespace fathom::result {

// Form of the element `fathom`: 2 has every field below; files without a form have fewer.
inline constexpr int kXmlForm = 2;

template <class W>
concept XmlWalker = requires {
  requires W::kXml;
};

// pmbench's names for the types of a cache.
struct CacheNames {
  std::string_view ours, pmbench;
};
inline constexpr CacheNames kCacheNames[] = {{"Data", "DCACHE"}, {"Instruction", "ICACHE"}, {"Unified", "CACHE"}};

// The numbers that every point of a series has: visit(name, member).
void series_columns(auto visit) {
  visit("time_ms", &PagingSeriesPoint::time_ms);
  visit("interval_ms", &PagingSeriesPoint::interval_ms);
  visit("accesses", &PagingSeriesPoint::accesses);
  visit("minor", &PagingSeriesPoint::minor);
  visit("major", &PagingSeriesPoint::major);
}

template <class W>
void walk_faults(W& w, Like<PagingThread> auto& worker, bool counted = true) {
  field_if(w, counted, Key("kernel_minor", "minor faults in the thread's own counter, during the measured interval"),
           worker.kernel_minor);
  field_if(w, counted, Key("kernel_major", "major faults, likewise"), worker.kernel_major);
  field_if(w, counted, Key("lookups", "slow accesses after which the fault counters were read"), worker.lookups);
  field_if(w, counted, Key("slow_hits", "slow accesses without a fault"), worker.slow_hits);
  field_if(w, counted, Key("extra_faults", "second and further faults of one access"), worker.extra_faults);
  field_if(w, counted, Key("own_faults", "faults of the tool itself"), worker.own_faults);
}

// The content of a file for the latencies of one class in one direction.
struct AccessClassRow {
  AccessClass of = AccessClass::hit;
  AccessDir direction = AccessDir::read;
  AccessLatency latency;
};

template <class W>
void walk(W& w, Like<AccessClassRow> auto& row, const stats::Moments& all) {
  w.field(Key("class", "`hit`, `minor`, `major`"), row.of, AccessClass::major);
  w.field(Key("direction", "`read`, `write`"), row.direction, AccessDir::write);
  const auto& own = row.latency.moments_ns;
  w.derived(Key("accesses", "accesses of the class"), [&] { return own.n; });
  w.derived(Key("accesses_percent", "percentage of all accesses"),
            [&] { return percent_of(static_cast<double>(own.n), static_cast<double>(all.n)); });
  w.derived(Key("time_ns", "time of these accesses"), [&] { return own.sum; });
  w.derived(Key("time_percent", "percentage of the time of all accesses"),
            [&] { return percent_of(static_cast<double>(own.sum), static_cast<double>(all.sum)); });
  w.latency(Key("latency", "latency of these accesses"), row.latency, kOurPercentiles);
}

// Only classes that occurred.
template <class W, class Latencies>
void walk_classes(W& w, Latencies& latencies) {
  std::vector<AccessClassRow> rows;
  stats::Moments all;
  for (std::size_t c = 0; c < kAccessClasses; ++c)
    for (std::size_t d = 0; d < kAccessDirs; ++d) {
      const auto& latency = latencies[c][d];
      all.merge(latency.moments_ns);
      if (latency.moments_ns.n > 0) rows.push_back({static_cast<AccessClass>(c), static_cast<AccessDir>(d), latency});
    }
  w.list(Key("classes", "one per class and direction that occurred"), "class", rows, all);
  if constexpr (!std::is_const_v<Latencies>)
    for (auto& row : rows)
      latencies[static_cast<std::size_t>(row.of)][static_cast<std::size_t>(row.direction)] = std::move(row.latency);
}

template <class W>
void walk(W& w, Like<PagingThread> auto& worker, const Paging& paging) {
  w.field(Key("process", "number of the process, from 0"), worker.process);
  w.field(Key("thread", "number of the thread in its process, from 0"), worker.thread);
  w.known(Key("tid", "thread ID of the kernel"), worker.tid);
  w.field(Key("reads", "number of reads"), worker.accesses[0]);
  w.field(Key("writes", "number of writes"), worker.accesses[1]);
  w.field(Key("wall_ns", "from the first to the last access of the measured interval"), worker.wall_ns);
  w.field(Key("overhead_ns", "time to compute an address"), worker.overhead_ns);
  w.field(Key("overhead_accesses", "number of addresses in that measurement"), worker.overhead_accesses);
  w.derived(Key("net_mean_ns", "pmbench's average: time per access, without the overhead"),
            [&] { return pmbench_thread(paging, worker).net_us * 1e3; });
  w.field(Key("warmup_accesses", "accesses before the measured interval"), worker.warmup_accesses);
  w.field(Key("warmup_ns", "time of these accesses"), worker.warmup_ns);
  walk_faults(w, worker, !paging.imported);  // pmbench does not count them
  w.numbers(Key("cpus", "CPUs that the thread was bound to; empty: none"), worker.cpus);
  w.field(Key("errno", "errno of the error that ended the thread early; 0: none"), worker.error);
  walk_classes(w, worker.latency);
}

template <XmlWalker W>
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
  w.attribute(Key("name", "time of the snapshot: `pre-warmup`, `pre-run`, `mid-run`, `post-run`, `post-unmap`"),
              item.name);
  w.field(Key("free_kib", "free memory"), item.free_kib);
  w.field(Key("buffer_kib", "buffers"), item.buffer_kib);
  w.field(Key("cache_kib", "page cache"), item.cache_kib);
  w.field(Key("active_kib", "active memory"), item.active_kib);
  w.field(Key("inactive_kib", "inactive memory"), item.inactive_kib);
  w.field(Key("pgpgin", "counter of /proc/vmstat"), item.pgpgin);
  w.field(Key("pgpgout", "counter of /proc/vmstat"), item.pgpgout);
  w.field(Key("pswpin", "counter of /proc/vmstat"), item.pswpin);
  w.field(Key("pswpout", "counter of /proc/vmstat"), item.pswpout);
  w.field(Key("pgmajfault", "counter of /proc/vmstat"), item.pgmajfault);
  if (w.there("windows", !item.windows.empty()))
    w.counts(Key("windows", "only in an imported report from Windows"), "counter", item.windows);
}

template <class W>
void walk(W& w, Like<PagingCache> auto& cache) {
  w.field(Key("type", "`Data`, `Instruction`, `Unified`"), cache.type);
  w.field(Key("level", "cache level, from 1"), cache.level);
  w.field(Key("capacity_kib", "capacity of one cache"), cache.capacity_kib);
  w.field(Key("sets", "sets of the cache"), cache.sets);
  w.field(Key("line_bytes", "size of a line"), cache.line_bytes);
  w.field(Key("partitions", "partitions of a line"), cache.partitions);
  w.field(Key("ways", "ways of a set"), cache.ways);
}

template <class W>
void walk(W& w, Like<DeviceTime> auto& device, const Paging& paging) {
  w.field(Key("device", "name of the device: `zram0`, `vda`"), device.device);
  w.field(Key("by", "method: `block requests`, `bios`, `direct reads`"), device.by);
  w.field(Key("cause", "why there is no result, or why the method is direct reads"), device.cause);
  if (w.there("needs_privilege", device.needs_privilege))
    w.field(Key("needs_privilege", "root privilege would remove the cause; absent: no", 15), device.needs_privilege);
  w.latency(Key("read", "latency of its read requests"), device.read_ns, kOurPercentiles);
  w.latency(Key("write", "latency of its write requests"), device.write_ns, kOurPercentiles);
  w.field(Key("read_bytes", "bytes of the read requests"), device.read_bytes);
  w.field(Key("write_bytes", "bytes of the write requests"), device.write_bytes);
  w.field(Key("lost", "requests without a recorded begin or end, or without room in the table"), device.lost);
  w.field(Key("seen_share", "share of the time in which requests were timed"), device.seen_share);
  w.field(Key("foreign", "requests elsewhere on the same disk, left out"), device.foreign);
  w.field(Key("foreign_bytes", "bytes of these requests"), device.foreign_bytes);
  if (w.there("watching", is_told(device.watching)))
    w.part(Key("watching", "overhead of the timing for the accesses, by slices"), device.watching);
  const auto served = served_percent(paging, device);
  if (w.there("served_percent", served.has_value()))
    w.derived(Key("served_percent", "share of the bytes read, if several devices served them"),
              [&] { return *served; });
  const auto share = device_share(paging);
  if (!w.there("major_mean_ns", share && !served && device.read_ns.moments_ns.n > 0)) return;
  w.derived(Key("major_mean_ns", "mean time of major faults"), [&] { return share->major_mean_ns; });
  w.derived(Key("major_peak_begin_ns", "start of pmbench's fullest bin of major faults"),
            [&] { return share->major_peak.begin_ns; });
  w.derived(Key("major_peak_end_ns", "end of that bin"), [&] { return share->major_peak.end_ns; });
  w.derived(Key("overhead_ns", "software part of the mean major fault"), [&] { return share->overhead_ns; });
  w.derived(Key("overhead_percent", "software part as a percentage of the device's part"),
            [&] { return share->overhead_percent; });
}

template <XmlWalker W>
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
  if (w.there("watching", is_told(device.watching))) w.part("watching", device.watching);
  w.latency("read", device.read_ns);
  w.latency("write", device.write_ns);
}

template <class W>
void walk(W& w, Like<PagingSwap> auto& swap) {
  w.field(Key("kind", "`zram`, `file`, `dev`, `current`, `none`"), swap.kind);
  w.field(Key("name", "as requested"), swap.name);
  w.field(Key("path", "path that swapon received"), swap.path);
  w.field(Key("disk", "disk under the swap"), swap.disk);
  w.field(Key("size_bytes", "size of the swap"), swap.size_bytes);
  w.field(Key("used_bytes", "used bytes at the end"), swap.used_bytes);
  w.field(Key("compressor", "compressor of zram"), swap.compressor);
  w.field(Key("stored_bytes", "bytes stored in zram"), swap.stored_bytes);
  w.field(Key("compressed_bytes", "compressed size of these bytes"), swap.compressed_bytes);
}

template <class W>
void walk(W& w, Like<PagingPressure> auto& pressure) {
  w.field(Key("limit_bytes", "memory limit of the run; 0: none"), pressure.limit_bytes);
  w.field(Key("controller", "`cgroup v1`, `cgroup v2`; empty: none"), pressure.controller);
  if (w.there_in_xml("ambient_limit_bytes", pressure.ambient_limit_bytes > 0)) {  // neither, or both
    w.field(Key("ambient_limit_bytes", "tightest limit of the memory cgroups in which the run was started; 0: none"),
            pressure.ambient_limit_bytes);
    w.field(Key("ambient_group", "cgroup with this limit"), pressure.ambient_group);
  }
  w.list(Key("swaps", "active swaps"), "swap", pressure.swaps);
  w.pairs(Key("settings", "all observed kernel switches, and their values"), "setting", pressure.settings);
  w.texts(Key("changed", "switches that the run changed"), pressure.changed);
  w.texts(Key("not_possible", "unavailable settings: `without root: no limit`"), pressure.not_possible);
  if (w.there("needs_privilege", pressure.needs_privilege))
    w.field(Key("needs_privilege", "root privilege would allow some of them; absent: no", 15),
            pressure.needs_privilege);
}

template <class W>
void walk(W& w, Like<PagingScore> auto& score) {
  w.field(Key("accesses_per_s", "accesses per second over all threads"), score.accesses_per_s);
  w.field(Key("low_per_s", "low end of the interval that contains the score").in_xml("low"), score.low);
  w.field(Key("high_per_s", "high end of the interval").in_xml("high"), score.high);
  w.field(Key("confidence", "confidence of the interval; 0: too few intervals, or the range of two repetitions"),
          score.confidence);
  w.field(Key("how", "basis of the interval: `58 intervals of 1 s`, `25 repetitions`"), score.how);
}

template <class W>
void walk(W& w, Like<PagingRow> auto& row) {
  w.numbers(Key("values", "one per repetition"), row.values);
  w.field(Key("mean", "mean of the values"), row.mean);
  w.spread(row.values.size(), row.low, row.high);
}

template <class W>
void walk(W& w, Like<PagingTableColumn> auto& column) {
  constexpr const char* kRows[] = {"all_mean_ns", "major_peak_ns", "major_mean_ns", "overhead_ns", "overhead_percent"};
  w.attribute(Key("name", "name of the configuration"), column.name);
  for (std::size_t i = 0; i < column.rows.size(); ++i)
    w.part(Key(kRows[i], "row of the paper's Table 2"), column.rows[i]);
  w.field(Key("media", "source of the device's read latency"), column.media);
  w.field(Key("media_ns", "read latency of the device"), column.media_ns);
}

template <class W>
void walk(W& w, Like<PagingClock> auto& clock) {
  w.field(Key("stamps", "timestamps: `fenced`, `rdtscp`, `rdtsc`, `clock_gettime`"), clock.stamps);
  w.field(Key("ticks_per_second", "rate of the clock"), clock.ticks_per_second);
  w.field(Key("calibration", "how the rate was determined"), clock.calibration);
  const bool measured = !clock.calibration.empty();  // false for pmbench's results
  field_if(w, measured, Key("calibration_error_ppm", "bound on the error of the rate"), clock.calibration_error_ppm);
  w.known(Key("step_ns", "step of the clock: single latencies, medians, percentiles are whole steps"), clock.step_ns);
  field_if(w, measured, Key("floor_ns", "timer overhead: median of an empty pair of timestamps"), clock.floor_ns);
  field_if(w, measured, Key("floor_p99_ns", "99th percentile of the timer overhead").in_xml("floor_ns_p99"),
           clock.floor_ns_p99);
  w.known(Key("floor_mean_ns", "mean timer overhead, over pairs that begin anywhere within a step"),
          clock.floor_mean_ns);
  field_if(w, measured, Key("cached_load_ns", "median of a pair of timestamps around a load from the first cache"),
           clock.cached_load_ns);
  w.known(Key("cached_load_mean_ns", "mean of such pairs, which begin anywhere within a step"),
          clock.cached_load_mean_ns);
  field_if(w, measured, Key("slow_ns", "latency from which the fault counters are read"), clock.slow_ns);
  field_if(w, measured, Key("lookup_ns", "time to read the fault counters"), clock.lookup_ns);
}

template <class W>
void walk(W& w, Like<LongAccesses> auto& row) {
  w.field(Key("threshold_ns", "threshold"), row.threshold_ns);
  w.field(Key("accesses", "accesses of this latency or longer"), row.count);
  w.field(Key("accesses_percent", "percentage of all accesses"), row.count_percent);
  w.field(Key("time_ns", "time of these accesses, from whole buckets"), row.time_ns);
  w.field(Key("time_percent", "percentage of the time in accesses, not of the run time"), row.time_percent);
}

template <class W>
void walk(W& w, Like<PagingSeriesPoint> auto& point) {
  w.field(Key("time_ms", "end of the interval"), point.time_ms);
  w.field(Key("interval_ms", "length of the interval"), point.interval_ms);
  w.field(Key("accesses", "accesses of the threads"), point.accesses);
  w.field(Key("minor", "minor faults of the threads"), point.minor);
  w.field(Key("major", "major faults of the threads"), point.major);
  w.counts(Key("kernel", "counters of /proc/vmstat by name"), "counter", point.kernel);
  w.counts(Key("pressure_percent", "PSI percentages by name; empty: no PSI"), "value", point.pressure_percent);
}

template <class W>
void walk(W& w, Like<PagingImport> auto& imported) {
  w.field(Key("program", "version of pmbench"), imported.program);
  w.field(Key("options", "build options of pmbench"), imported.options);
  w.field(Key("os_name", "operating system: `Linux`, `windows`"), imported.os_name);
  w.field(Key("uuid", "UUID of the report"), imported.uuid);
  w.derived(Key("first_bin_ns", "latencies below this value are known only to be below it"),
            [] { return kFirstBin_ns; });
  w.texts(Key("tlb_ids", "bytes of CPUID leaf 2"), imported.tlb_ids);
  w.field(Key("windows_major", "major version of Windows"), imported.windows_major);
  w.field(Key("windows_minor", "minor version of Windows"), imported.windows_minor);
  w.field(Key("windows_build", "build of Windows"), imported.windows_build);
  w.field(Key("windows_date", "date from Windows"), imported.windows_date);
  w.field(Key("windows_time", "time from Windows"), imported.windows_time);
  w.field(Key("windows_year", "year from Windows"), imported.windows_year);
}

template <class W>
void walk_in_order(W& w, Like<Paging> auto& p) {
  const bool asked = p.read_percent >= 0;
  w.field(Key("duration_s", "requested duration"), p.duration_s);
  w.field(Key("map_bytes", "requested size of the mapped memory"), p.map_bytes);
  w.field(Key("set_bytes", "requested size of the working set"), p.set_bytes);
  w.field(Key("page_bytes", "size of a page"), p.page_bytes);
  w.field(Key("pattern", "access pattern: `zipf`, ..."), p.pattern);
  w.field(Key("shape", "shape in use, given or default; 0: the pattern has no shape"), p.shape);
  w.field(Key("memory", "kind of memory: `anonymous`, ..."), p.memory);
  w.field(Key("access", "`histogram` or `touch`"), p.access);
  w.field(Key("fill", "content of the memory: `compressible:70`, ..."), p.fill);
  if (w.there("read_percent", asked))
    w.field(Key("read_percent", "requested share of reads; absent for a trace"), p.read_percent);
  else if constexpr (!std::is_const_v<std::remove_reference_t<decltype(p)>>)
    p.read_percent = -1;
  w.field(Key("threads", "threads per process: the largest number, if they differ (`workers[]`)"), p.threads);
  w.field(Key("processes", "number of measuring processes"), p.processes);
  w.field(Key("offset_words", "offset in words of 4 bytes in a page; below 0: random"), p.offset_words);
  w.field(Key("delay_ticks", "delay between accesses"), p.delay_ticks);
  w.field(Key("cold", "no warm-up"), p.cold);
  w.field(Key("classified", "false: all accesses are counted as hits"), p.classified);
  w.field(Key("quiet", "quiet mode was requested"), p.quiet);
  w.field(Key("seed", "random seed; with a `legacy:` pattern or a trace it affects only the fill, if anything"),
          p.seed);
  w.pairs(Key("conditions", "other options of pattern, memory and access as requested, without dashes"), "condition",
          p.conditions);
}

template <class W>
void walk_conditions(W& w, Like<Paging> auto& p) {
  w.part(Key("clock", "the clock and its overhead"), p.clock);
  w.list(Key("memory_items", "memory snapshots as pmbench takes them"), "item", p.memory_items);
  w.counts(Key("vmstat", "increments of /proc/vmstat during the measured interval"), "counter", p.vmstat);
  w.counts(Key("memcg", "increments of the cgroup's memory.stat during the measured interval"), "counter", p.memcg);
  w.counts(Key("mthp",
               "counters of huge pages smaller than a PMD, for the whole machine: `64kB.anon_fault_alloc`; unchanged "
               "counters are omitted"),
           "counter", p.mthp);
  if (w.present("pressure", p.pressure.known))
    w.part(Key("pressure", "settings of the machine; absent: an imported file without them"), p.pressure);
  w.known(Key("measurement_bytes_per_thread", "memory of the measurement itself"), p.measurement_bytes_per_thread);
  field_if(w, !p.imported, Key("locked_bytes_per_thread", "locked part of that memory"), p.locked_bytes_per_thread);
  w.field(Key("locked", "all of that memory is locked"), p.locked);
  w.field(Key("cpu_model", "CPU model of the machine"), p.cpu_model);
  w.list(Key("caches", "caches of the first CPU"), "cache", p.caches);
  if (w.present("imported", p.imported))
    w.part(Key("imported", "only with `--import`: what pmbench's report states about itself"), *p.imported);
}

template <class W>
void walk(W& w, Like<Paging> auto& p) {
  walk_in_order(w, p);
  w.known(Key("start_epoch_ms", "start of the measured interval"), p.start_epoch_ms);
  w.field(Key("window_ns", "from the start of the first thread to the end of the last one"), p.window_ns);
  field_if(w, !p.imported, Key("setup_ns", "time to map the memory"), p.setup_ns);
  w.field(Key("interrupted", "stopped by a signal"), p.interrupted);
  w.derived(Key("accesses", "accesses of all threads"), [&] { return accesses(p); });
  w.part(Key("score", "accesses per second"), p.score);
  walk_classes(w, p.latency);
  w.derived_list(Key("at_least", "accesses of `threshold_ns` or longer"), [&] {
    const auto all = of_all(p.latency);
    return all.moments_ns.n > 0 ? long_accesses(all) : std::vector<LongAccesses>();
  });
  w.list(Key("workers", "one per thread"), "thread", p.workers, p);
  w.list(Key("devices", "latency of the swap devices themselves"), "device", p.devices, p);
  w.list(Key("series", "one point per `interval_ms`"), "point", p.series);
  w.list(Key("table2", "`fathom paging breakdown`: rows of the paper's Table 2, one column per configuration"),
         "column", p.table2);
  walk_conditions(w, p);
}

template <XmlWalker W>
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

template <XmlWalker W>
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

// For a run that has `paging`. Repetitions are not among its fields: each is such a run itself, without repetitions.
template <XmlWalker W>
void walk(W& w, Like<Run> auto& run) {
  if (w.there_in_xml("run_id", !run.run_id.empty())) w.field("run_id", run.run_id);
  w.maybe("utc_offset_s", run.utc_offset_s);
  w.field("time_epoch_ms", run.time_epoch_ms);
  w.field("run_interrupted", run.interrupted);
  walk(w, *run.paging);
  w.part("program", run.program);
  w.part("host", run.host);
  w.part("settle", run.settle);
  if (w.present("audit", run.audit)) w.part("audit", run.audit.value());
  if (w.there_in_xml("watching", !run.watching.empty())) w.list("watching", "watcher", run.watching);  // since 12
  w.list("findings", "finding", run.findings);
  w.list("errors", "error", run.errors);
  w.list("repeated", "metric", run.repeated);
}

}  // namespace fathom::result
