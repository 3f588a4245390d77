// Paging results made by hand, as `fathom paging` would make them. All values are fixed, so texts can be golden.
#pragma once
#include <cmath>

#include "sample_run.h"

namespace fathom::report {

// `count` samples spread around a middle, as a latency that is mostly of one kind: the same every time.
inline result::AccessLatency spread(double middle_ns, double factor, std::uint64_t count) {
  result::AccessLatency latency;
  constexpr int kSteps = 15;
  for (int i = -kSteps; i <= kSteps; ++i) {
    const double weight = std::exp(-static_cast<double>(i * i) / 40.0);
    const auto samples = static_cast<std::uint64_t>(static_cast<double>(count) * weight / 11.2 + 0.5);
    const auto ns = static_cast<std::uint64_t>(middle_ns * std::pow(factor, static_cast<double>(i) / kSteps) + 0.5);
    if (samples == 0) continue;
    latency.moments_ns.add_many(ns, samples);
    latency.histogram_ns.add(ns, samples);
  }
  return latency;
}

inline void add(result::AccessLatency& to, std::uint64_t ns, std::uint64_t times) {
  to.moments_ns.add_many(ns, times);
  to.histogram_ns.add(ns, times);
}

inline result::PagingThread paging_thread(int thread) {
  result::PagingThread worker;
  const auto at = [&](result::AccessClass c, result::AccessDir d) -> result::AccessLatency& {
    return worker.latency[static_cast<std::size_t>(c)][static_cast<std::size_t>(d)];
  };
  using C = result::AccessClass;
  using D = result::AccessDir;
  at(C::hit, D::read) = spread(520 + 10 * thread, 1.8, 60'000);
  at(C::hit, D::write) = spread(470 + 10 * thread, 1.8, 59'000);
  at(C::minor, D::write) = spread(2'100, 1.5, 900);
  at(C::major, D::read) = spread(6'600, 2.5, 61'000);
  at(C::major, D::write) = spread(6'700, 2.5, 60'500);
  add(at(C::major, D::read), 240'000, 400);
  add(at(C::major, D::write), 260'000, 420);
  add(at(C::major, D::read), 9'231'000, 11 + thread);
  for (std::size_t c = 0; c < result::kAccessClasses; ++c)
    for (std::size_t d = 0; d < result::kAccessDirs; ++d) worker.accesses[d] += worker.latency[c][d].moments_ns.n;
  worker.thread = thread;
  worker.tid = 4711 + thread;
  worker.wall_ns = 2'500'123'456 + 1'000'000u * static_cast<unsigned>(thread);
  worker.overhead_ns = 3.25;
  worker.overhead_accesses = 100'000;
  worker.warmup_accesses = 1'048'576;
  worker.warmup_ns = 9'000'000'000;
  worker.kernel_minor = worker.latency[1][1].moments_ns.n + 1;
  worker.kernel_major = worker.latency[2][0].moments_ns.n + worker.latency[2][1].moments_ns.n;
  worker.lookups = worker.kernel_minor + worker.kernel_major + 60;
  worker.slow_hits = 60;
  worker.extra_faults = 1;
  worker.cpus = {thread};
  return worker;
}

inline void set_workers(result::Paging& paging, std::vector<result::PagingThread> workers) {
  paging.workers = std::move(workers);
  paging.latency = {};
  for (const auto& worker : paging.workers)
    for (std::size_t c = 0; c < result::kAccessClasses; ++c)
      for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
        paging.latency[c][d].moments_ns.merge(worker.latency[c][d].moments_ns);
        paging.latency[c][d].histogram_ns.merge(worker.latency[c][d].histogram_ns);
      }
}

inline result::PagingPressure sample_pressure() {
  result::PagingPressure pressure;
  pressure.limit_bytes = 512ull << 20;
  pressure.controller = "cgroup v1";
  pressure.swaps = {
      {"zram", "zram:2G", "/dev/zram1", "zram1", 2ull << 30, 540ull << 20, "lzo-rle", 540ull << 20, 541ull << 20}};
  pressure.settings = {{"vm.swappiness", "60"}, {"vm.page-cluster", "0"}, {"thp.enabled", "madvise"}};
  pressure.changed = {"vm.page-cluster"};
  pressure.not_possible = {"/proc/pressure is not there: no PSI"};
  return pressure;
}

inline std::vector<result::PagingMemoryItem> sample_memory(bool cold) {
  std::vector<result::PagingMemoryItem> items;
  std::uint64_t step = 0;
  for (const char* name : {"pre-warmup", "pre-run", "mid-run", "post-run", "post-unmap"}) {
    if (cold && step == 0) {
      ++step;
      continue;
    }
    items.push_back({name,
                     9'000'000 - 1000 * step,
                     20'000 + step,
                     5'000'000,
                     700'000 - step,
                     300'000,
                     1'000'000 + 400 * step,
                     2'000'000 + 500 * step,
                     10'000 + 30'000 * step,
                     11'000 + 31'000 * step,
                     10'100 + 30'000 * step,
                     {}});
    ++step;
  }
  return items;
}

inline std::vector<result::PagingSeriesPoint> sample_series() {
  std::vector<result::PagingSeriesPoint> series;
  for (std::uint64_t i = 0; i < 25; ++i) {
    result::PagingSeriesPoint point;
    point.time_ms = 100 * (i + 1);
    point.interval_ms = 100;
    point.accesses = 19'000 + 150 * (i % 7);
    point.minor = 80;
    point.major = 9'500 + 100 * (i % 5);
    point.kernel = {{"pgmajfault", point.major}, {"pswpin", point.major + 10}, {"pswpout", i < 12 ? 9'000u : 10'000u}};
    point.pressure_percent = {{"memory.some", 40.0 + static_cast<double>(i)}};
    series.push_back(std::move(point));
  }
  return series;
}

inline result::PagingClock sample_paging_clock() {
  result::PagingClock clock;
  clock.stamps = "fenced";
  clock.ticks_per_second = 2'300'000'000;
  clock.calibration = "CLOCK_MONOTONIC_RAW over 10 ms";
  clock.calibration_error_ppm = 1.5;
  clock.step_ns = 0.4347826;
  clock.floor_ns = 19.1;
  clock.floor_ns_p99 = 20.5;
  clock.cached_load_ns = 20.9;
  clock.floor_mean_ns = 19.2;
  clock.cached_load_mean_ns = 20.8;
  clock.slow_ns = 1'200;
  clock.lookup_ns = 240;
  return clock;
}

// Two threads on a 1 GiB set under a limit of 512 MiB with zram: hits and majors, few minors, a tail to 9 ms.
inline result::Run paging_run() {
  result::Run run = empty_run();
  run.program.argv = {"fathom", "paging", "--map=1G", "--limit=512M", "--swap=zram:2G"};
  auto& p = run.paging.emplace();
  p.duration_s = 3;
  p.map_bytes = p.set_bytes = 1ull << 30;
  p.pattern = "uniform";
  p.memory = "anonymous";
  p.access = "histogram";
  p.fill = "random";
  p.threads = 2;
  p.seed = 1;
  p.start_epoch_ms = 1'721'999'912'345;
  p.window_ns = 2'501'200'000;
  p.setup_ns = 41'000;
  set_workers(p, {paging_thread(0), paging_thread(1)});
  p.memory_items = sample_memory(false);
  p.series = sample_series();
  p.vmstat = {
      {"pgfault", 250'000}, {"pgmajfault", 243'700}, {"pswpin", 243'900}, {"pswpout", 242'000}, {"numa_hit", 9}};
  p.memcg = {{"pgfault", 245'600}, {"pgmajfault", 243'690}};
  p.mthp = {{"64kB.swpout", 31}};
  p.pressure = sample_pressure();
  p.clock = sample_paging_clock();
  p.score = {193'700, 190'100, 197'300, 0.95, "25 intervals of 0.1 s"};
  result::DeviceTime zram;
  zram.device = "zram1";
  zram.by = "bios";
  zram.read_ns = spread(1'900, 1.4, 240'000);
  zram.write_ns = spread(3'100, 1.4, 239'000);
  zram.read_bytes = zram.read_ns.moments_ns.n * 4096;
  zram.write_bytes = zram.write_ns.moments_ns.n * 4096;
  p.devices = {zram};
  p.measurement_bytes_per_thread = p.locked_bytes_per_thread = 196'608;
  p.locked = true;
  p.cpu_model = "Example CPU @ 2.30GHz";
  p.caches = {{"Data", 1, 32, 64, 64, 1, 8}, {"Unified", 3, 8192, 8192, 64, 1, 16}};
  run.audit.emplace();
  run.audit->verdict = result::Verdict::agrees;
  run.audit->line = "agrees: 243,660 major faults; the kernel counted 243,660; zram1 +0.10 % read";
  run.findings = {{"paging.others_swap", result::Severity::note, "",
                   "243,900 pages came in, 243,660 of them by these threads",
                   "run on an idle machine, or with --settle"}};
  return run;
}

// Ours of `fathom paging breakdown`: the table alone.
inline result::Run table2_run() {
  result::Run run = empty_run();
  auto& p = run.paging.emplace();
  p.map_bytes = p.set_bytes = 1ull << 30;
  p.pattern = "uniform";
  p.access = "histogram";
  p.clock = sample_paging_clock();
  const auto column = [](const char* name, double scale, const char* media) {
    result::PagingTableColumn c;
    c.name = name;
    const double means[] = {11'700 * scale, 6'550 * scale, 22'800 * scale, 20'800 * scale, 1058};
    for (std::size_t r = 0; r < 5; ++r)
      c.rows[r] = {{means[r] * 0.99, means[r], means[r] * 1.01}, means[r], means[r] * 0.975, means[r] * 1.025};
    c.media = media;
    c.media_ns = 1'970 * scale;
    return c;
  };
  p.table2 = {column("zram:2G", 1, "bios of zram1"),
              column("file:/var/tmp/fathom/swap:2G", 4.3, "block requests of vda"),
              column("dev:/dev/loop7", 5, "direct reads"), column("none", 0.01, "")};
  return run;
}

}  // namespace fathom::report
