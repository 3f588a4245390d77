// The measurements of a run of `fathom paging`: durations of single memory accesses, by their outcome (hit, minor or
// major fault), and the kernel's counts of the same time. Plain data. docs/paging.md explains it. Modeled on pmbench
// (Yang and Seymour, "Pmbench: A Micro-Benchmark for Profiling Paging Performance on a System with Low-Latency SSDs").
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/finding.h"
#include "result/watching_cost.h"
#include "stats/percentiles.h"

namespace fathom::result {

// By the faults that the kernel counted for the thread during the access; with --no-classify all accesses are `hit`.
enum class AccessClass { hit, minor, major };
inline constexpr std::size_t kAccessClasses = 3;
constexpr const char* name(AccessClass c) {
  constexpr const char* names[] = {"hit", "minor", "major"};
  return names[static_cast<int>(c)];
}
enum class AccessDir { read, write };
inline constexpr std::size_t kAccessDirs = 2;
constexpr const char* name(AccessDir d) { return d == AccessDir::read ? "read" : "write"; }

// Latency of accesses: exact moments and a histogram, ns.
struct AccessLatency {
  stats::Moments moments_ns;
  stats::Histogram histogram_ns;
  stats::PercentileTable percentiles_ns = {};  // as in result::Latency
  bool operator==(const AccessLatency&) const = default;
};
using AccessLatencies = std::array<std::array<AccessLatency, kAccessDirs>, kAccessClasses>;  // [class][dir]

struct PagingThread {
  int process = 0, thread = 0;  // numbers from 0; thread within its process
  int tid = 0;
  AccessLatencies latency;  // empty histograms with --access=touch (no stamps)
  std::uint64_t accesses[kAccessDirs] = {};
  std::uint64_t wall_ns = 0;            // first to last access of the measured window
  double overhead_ns = 0;               // cost of making one address, measured after the run without the access
  std::uint64_t overhead_accesses = 0;  // number of addresses of that measurement
  std::uint64_t warmup_accesses = 0, warmup_ns = 0;
  // Faults by RUSAGE_THREAD over the measured window, and the counts that relate them to the classes.
  std::uint64_t kernel_minor = 0, kernel_major = 0;
  std::uint64_t lookups = 0;       // slow accesses for which the counters were read
  std::uint64_t slow_hits = 0;     // of these without a fault: interrupted, or stolen time
  std::uint64_t extra_faults = 0;  // second and further faults of one access
  std::uint64_t own_faults = 0;    // of the tool itself, outside of any access
  std::vector<int> cpus;           // CPUs bound to; empty: not bound
  int error = 0;                   // errno of the error that ended it early; 0: no error
  bool operator==(const PagingThread&) const = default;
};

// One snapshot of /proc/meminfo and /proc/vmstat, as pmbench takes them.
struct PagingMemoryItem {
  std::string name;  // pre-warmup, pre-run, mid-run, post-run, post-unmap
  std::uint64_t free_kib = 0, buffer_kib = 0, cache_kib = 0, active_kib = 0, inactive_kib = 0;
  std::uint64_t pgpgin = 0, pgpgout = 0, pswpin = 0, pswpout = 0, pgmajfault = 0;
  std::map<std::string, std::int64_t> windows;  // AvailPhys, ...: an imported Windows report; others are then 0
  bool operator==(const PagingMemoryItem&) const = default;
};

// One cache of the first CPU, with the fields of pmbench's machine_info (host/disk/cache_facts.h reads them).
struct PagingCache {
  std::string type;  // Data, Instruction, Unified
  std::uint64_t level = 0, capacity_kib = 0, sets = 0, line_bytes = 0, partitions = 0, ways = 0;
  bool operator==(const PagingCache&) const = default;
};

// Facts of an imported pmbench report that fathom has no other field for.
struct PagingImport {
  std::string program, options, os_name, uuid;  // "0.8", "xml", "Linux"
  std::vector<std::string> tlb_ids;             // bytes of CPUID leaf 2, hex
  std::string windows_major, windows_minor, windows_build, windows_date, windows_time, windows_year;
  bool operator==(const PagingImport&) const = default;
};

// A tenth of a second of the run. Counts are for the interval; PSI percentages refer to its length.
struct PagingSeriesPoint {
  std::uint64_t time_ms = 0, interval_ms = 0;
  std::uint64_t accesses = 0, minor = 0, major = 0;  // of the measuring threads
  std::map<std::string, std::uint64_t> kernel;  // vmstat's names: pswpin, pswpout, pgmajfault, pgpromote_success, ...
  std::map<std::string, double> pressure_percent;  // "memory.some", "memory.full", "io.some", ...; absent: no PSI
  bool operator==(const PagingSeriesPoint&) const = default;
};

// Cost of the tracepoint programs for each request that they time (docs/dev/performance.md). For a request shorter than
// kShortRequest_ns it is more than a twentieth.
inline constexpr double kTimingCost_ns = 400, kShortRequest_ns = 8'000;

// One swap device's own time per request during the run.
struct DeviceTime {
  std::string device;            // "zram0", "vda"
  std::string by;                // "block requests", "bios", "direct reads"
  std::string cause;             // why there is no time, or why it is from direct reads
  bool needs_privilege = false;  // as root the cause would not exist
  AccessLatency read_ns, write_ns;
  std::uint64_t read_bytes = 0, write_bytes = 0;
  std::uint64_t lost = 0;  // requests without a begin, an end, or a table entry
  double seen_share = 1;   // share of the run's time; < 1: sampled in slices, bytes too, because of too many I/Os
  std::uint64_t foreign = 0, foreign_bytes = 0;  // requests of other processes on the same disk: excluded
  WatchingCost watching;                         // overhead of this timing for the accesses
  bool operator==(const DeviceTime&) const = default;
};

struct PagingSwap {
  std::string kind;  // zram, file, dev, current, none
  std::string name;  // as requested: "zram:2G"
  std::string path;  // argument of swapon: "/dev/zram0", "/var/tmp/swap"
  std::string disk;  // underlying disk: "zram0", "vda"; "": unknown
  std::uint64_t size_bytes = 0;
  std::uint64_t used_bytes = 0;                          // at the end
  std::string compressor;                                // zram
  std::uint64_t stored_bytes = 0, compressed_bytes = 0;  // zram's mm_stat at the end
  bool operator==(const PagingSwap&) const = default;
};

// Settings of the machine for the run.
struct PagingPressure {
  bool known = true;              // false: an imported file without this; all else is then empty
  std::uint64_t limit_bytes = 0;  // 0: no limit
  std::string controller;         // "cgroup v1", "cgroup v2", ""
  // The tightest limit of the memory cgroups that the run was started in. It applies in addition; 0: no limit.
  std::uint64_t ambient_limit_bytes = 0;
  std::string ambient_group;      // cgroup with this limit, "/user.slice"; "": no limit
  std::vector<PagingSwap> swaps;  // active during the run; if the run was kept from swap: one of kind none
  std::vector<std::pair<std::string, std::string>>
      settings;                           // "vm.swappiness" -> "60": value of every inspected switch
  std::vector<std::string> changed;       // names of the settings that the run has changed
  std::vector<std::string> not_possible;  // "without root: no limit"
  bool needs_privilege = false;           // some of it would be possible as root
  bool operator==(const PagingPressure&) const = default;
};

// Accesses per second over all threads.
struct PagingScore {
  double accesses_per_s = 0;
  double low = 0, high = 0, confidence = 0;  // 0: too few intervals
  std::string how;                           // "58 intervals of 1 s", "25 repetitions"
  bool operator==(const PagingScore&) const = default;
};

// One row of the paper's Table 2, for one configuration.
struct PagingRow {
  std::vector<double> values;          // one per repetition; ns, or percent in row 5
  double mean = 0, low = 0, high = 0;  // 95 % interval; with fewer than three values: the smallest and the largest
  bool operator==(const PagingRow&) const = default;
};
struct PagingTableColumn {
  std::string name;  // "zram:2G"
  std::array<PagingRow, 5> rows;
  std::string media;  // source of the media latency
  double media_ns = 0;
  bool operator==(const PagingTableColumn&) const = default;
};

struct PagingClock {
  std::string stamps;  // fenced, rdtscp, rdtsc, clock_gettime
  double ticks_per_second = 0;
  std::string calibration;
  double calibration_error_ppm = 0;
  double step_ns = 0;                     // resolution: the size of its steps; 0: unknown
  double floor_ns = 0, floor_ns_p99 = 0;  // timer overhead on this machine: an empty pair, median; whole steps
  double cached_load_ns = 0;              // the same pair around a load that hits the first cache
  // Means of both over pairs that begin at any point of a step: finer than a step. 0: not measured.
  double floor_mean_ns = 0, cached_load_mean_ns = 0;
  std::uint64_t slow_ns = 0;  // for accesses from this duration on the counters are read
  double lookup_ns = 0;       // cost of one such read
  bool operator==(const PagingClock&) const = default;
};

struct Paging {
  // As requested.
  double duration_s = 0;
  std::uint64_t map_bytes = 0, set_bytes = 0, page_bytes = 4096;
  std::string pattern, memory, access, fill;  // "zipf", "anonymous", "histogram" or "touch", "compressible:70"
  double shape = 0;                           // value in use, given or not; 0: the pattern has no shape
  double read_percent = 50;                   // < 0: reads, writes and words are those of the trace
  int threads = 1, processes = 1;             // threads per process; if they differ (workers): the maximum
  std::int64_t offset_words = -1;             // word of 4 bytes in a page; < 0: random
  std::uint64_t delay_ticks = 0;
  bool cold = false, classified = true, quiet = false;
  std::uint64_t seed = 0;
  // All other requested options of pattern, memory and touch: option without dashes, value ("" for a switch), as
  // `fathom paging` takes them. "hot-access" -> "95", "thp" -> "never".
  std::vector<std::pair<std::string, std::string>> conditions;
  // Results.
  std::uint64_t start_epoch_ms = 0;
  std::uint64_t window_ns = 0;  // begin of the first to end of the last thread
  std::uint64_t setup_ns = 0;   // creating the map, before the fill
  std::vector<PagingThread> workers;
  AccessLatencies latency;  // of all workers
  std::vector<PagingMemoryItem> memory_items;
  std::vector<PagingSeriesPoint> series;
  std::map<std::string, std::uint64_t> vmstat;  // /proc/vmstat, end minus begin of the window
  std::map<std::string, std::uint64_t> memcg;   // memory.stat of the run's cgroup, the same; empty: no cgroup
  // Huge pages smaller than a PMD (mTHP) of the whole machine, from the creation of the map to the window's end, by
  // size and counter: "64kB.anon_fault_alloc". Counters without a change are omitted.
  std::map<std::string, std::uint64_t> mthp;
  PagingPressure pressure;
  PagingClock clock;
  PagingScore score;
  std::vector<DeviceTime> devices;
  std::vector<PagingTableColumn> table2;  // `fathom paging breakdown`
  // Memory of one measuring thread: its record, its stack, and the source of its accesses, including a trace's reader.
  std::uint64_t measurement_bytes_per_thread = 0;
  std::uint64_t locked_bytes_per_thread = 0;  // the locked part
  bool locked = false;                        // all of it is locked
  bool interrupted = false;
  std::string cpu_model;  // pmbench's machine_info
  std::vector<PagingCache> caches;
  std::optional<PagingImport> imported;  // --import: data was read, not measured here
  bool operator==(const Paging&) const = default;
};

}  // namespace fathom::result
