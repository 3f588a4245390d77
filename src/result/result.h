// What a run produced: versioned plain data, no behaviour. run/ fills it, report/ prints it, audit/ judges it, and an
// old file can be reported again. docs/reference/json.md describes its JSON form. Later work only adds fields; kSchemaVersion
// rises with every addition. Units stand last in every name. Rates are over `runtime`, the time in which the direction
// was measured (ramp excluded).
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/engines.h"
#include "result/audit.h"
#include "result/breakdown.h"
#include "result/delivery.h"
#include "result/finding.h"
#include "result/paging.h"
#include "result/sums/queue_stats.h"
#include "result/verified.h"
#include "stats/percentiles.h"

namespace fathom::result {

inline constexpr int kSchemaVersion = 15;
inline constexpr int kOldestRead = 14;
inline constexpr std::size_t kDirs = 3;  // read, write, trim, as io::Dir

// One latency of one direction: exact moments, and a histogram for percentiles. An empty histogram with moments.n > 0
// means that percentiles were off, or that another program's file has none: then the percentiles that it has.
struct Latency {
  stats::Moments moments_ns;
  stats::Histogram histogram_ns;
  stats::PercentileTable percentiles_ns = {};  // of a file that has no histogram
  bool operator==(const Latency&) const = default;
};

// What was sampled every bwavgtime (500 ms) while the job ran, each sample by itself.
struct Samples {
  double min = 0, max = 0, mean = 0, stddev = 0;
  std::uint64_t n = 0;
  bool operator==(const Samples&) const = default;
};

// Neighbouring samples, added up where a long run has more of them than a series has points.
struct SeriesPoint {
  std::uint64_t time_ms = 0;      // end of the interval, since the job's start
  std::uint64_t interval_ms = 0;  // its length
  std::uint64_t bytes = 0;
  std::uint64_t ios = 0;
  // Of the latency that Direction::series_latency names; a percentile only where there are enough for it.
  std::optional<std::uint64_t> lat_n = std::nullopt, lat_ns_p50 = std::nullopt, lat_ns_p99 = std::nullopt,
                               lat_ns_p999 = std::nullopt;
  bool operator==(const SeriesPoint&) const = default;
};

// What cmdprio_* tells apart: clat, or lat where the job reports percentiles of that.
struct PriorityLatency {
  unsigned io_class = 0, level = 0, hint = 0;
  Latency latency;
  bool operator==(const PriorityLatency&) const = default;
};

struct Direction {
  std::uint64_t bytes = 0;
  std::uint64_t ios = 0;     // completed
  std::uint64_t issued = 0;  // issued, as fio's "issued rwts"
  std::uint64_t short_ios = 0;
  std::uint64_t dropped_ios = 0;
  std::uint64_t error_ios = 0;
  std::uint64_t moved_bytes = 0;  // all that reached the engine: ramp and reading back included; for the audit
  std::uint64_t moved_ios = 0;
  std::uint64_t runtime_ms = 0;  // 0 when the direction was not used
  std::uint64_t runtime_ns = 0;  // the same, not rounded; of a sum of jobs the longest
  // When that time began and ended, since the first job's did; of a sum of jobs the first and the last.
  std::optional<std::uint64_t> begin_ns, end_ns;
  Latency slat, clat, lat;
  Latency intended_lat;                     // rate-driven jobs: from the intended start to completion
  Latency start_delay;                      // rate-driven jobs: from the intended start to the issue
  std::vector<PriorityLatency> priorities;  // with samples; empty: the job has one priority
  Samples bw_kib_s, iops;
  std::vector<SeriesPoint> series;
  std::string series_latency;  // intended_lat, lat or clat, of the latencies of its points; empty: they have none
  bool operator==(const Direction&) const = default;
};

// A place in what the user wrote (base::SourcePlace): line and column count from 1; 0: not known.
struct Place {
  std::string file;
  int line = 0, column = 0;
  bool operator==(const Place&) const = default;
};

// One failed I/O, or what kept a job from its I/O. Only the first kMaxErrorRecords of a job are kept whole; all are
// counted. A sentence that is empty is not known.
inline constexpr std::size_t kMaxErrorRecords = 16;
struct IoError {
  int err = 0;                                              // errno
  std::string op;                                           // read, write, trim, sync, setup
  std::string file = {};                                    // of an I/O
  std::optional<std::uint64_t> offset_bytes, length_bytes;  // of an I/O
  std::string message = {};                                 // one line, as printed in the text report
  std::string job = {};
  std::string what = {}, cause = {}, remedy = {};  // of a job that failed, what failed; why; what can be done
  std::optional<Place> place = {};                 // where the job is written that failed, or its mistake
  bool went_on = false;                            // the job went on after it
  bool operator==(const IoError&) const = default;
};

// Number of I/Os that shared one clock reading, and the time that one reading stands for.
struct StampWidth {
  std::uint64_t batches = 0;
  std::uint64_t ios = 0;
  std::uint64_t max_ios = 0;
  double mean_ns = 0;  // mean and largest width of one stamp
  std::uint64_t max_ns = 0;
  bool operator==(const StampWidth&) const = default;
};

struct Stamps {
  std::string placement = "fathom";  // "fathom": issue before the submitting call; "fio": after it
  StampWidth submit, reap;
  bool operator==(const Stamps&) const = default;
};

// The clock that stamped a job, and what speaks for it. The cross-core test is of the CPU clock; a job on another
// source carries it too where the CPU clock would have been taken and was not (fell_back).
struct ClockFacts {
  std::string source;                  // cpu, clock_gettime, gettimeofday, sim
  std::string verdict = "not tested";  // of the cross-core test: "not tested", "passed", "failed"
  double ticks_per_second = 0;         // of the source
  std::string calibration;             // how the conversion was found
  double calibration_error_ppm = 0;    // its bound
  double resolution_ns = 0;            // the smallest step that the source often shows
  double read_cost_ns = 0;             // of one reading, median
  std::string test = "none";           // none, short, long
  bool test_cached = false;            // an earlier test of this boot
  bool check_skipped = false;          // --clock-check=skip
  std::string cpus_tested;             // "0-3,8"; empty: none
  double detectable_ns = 0;            // a smaller offset between CPUs could not be seen
  std::uint64_t mismatches = 0;        // neighbours in the test's sequence whose time runs backwards
  bool fit = true;                     // the source may be trusted as far as it is known
  bool fell_back = false;              // the CPU clock would have been taken, and was not
  std::string reason;                  // one sentence: why this source, or why it is unfit
  std::optional<double> drift_ppm;     // of the CPU clock's conversion over the run, against CLOCK_MONOTONIC_RAW
  double drift_bound_ppm = 0;          // error of drift_ppm
  // Of the same conversion, from an earlier run of this boot that bounds it better; absent where none does, or where it
  // contradicts this run.
  std::optional<double> boot_drift_ppm;
  double boot_drift_bound_ppm = 0, boot_drift_over_s = 0;
  bool operator==(const ClockFacts&) const = default;
};

// What fathom itself spends, measured on this machine after the run on an engine that does nothing.
struct OwnCost {
  double record_ns = 0;       // one latency into moments and histogram
  double loop_ns_per_io = 0;  // everything: prepare, stamp, submit, reap, record
  bool operator==(const OwnCost&) const = default;
};

// /proc/PID/io of a worker (of its thread, where it is one), end minus begin, ramp included. rchar and wchar do not
// count io_uring; read_bytes and write_bytes do.
struct ProcessIo {
  bool readable = false;
  std::uint64_t rchar = 0, wchar = 0, read_bytes = 0, write_bytes = 0, cancelled_write_bytes = 0;
  bool operator==(const ProcessIo&) const = default;
};

struct Rate {  // a paced job: what was asked and what was kept
  bool paced = false;
  double asked_iops[kDirs] = {};
  double asked_bytes_per_s[kDirs] = {};
  std::uint64_t late_ios = 0;  // issued more than 1 ms after the intended start
  bool operator==(const Rate&) const = default;
};

// block_error_percentiles=: the blocks of the job's file by how often they were trimmed, until they failed or until now.
struct BlocksByTrims {
  std::uint64_t trims = 0, blocks = 0;
  bool operator==(const BlocksByTrims&) const = default;
};
struct BlockLifetimes {
  std::uint64_t untouched = 0, trimmed = 0, written = 0, trim_failed = 0,
                write_failed = 0;       // blocks, by what came last
  std::vector<BlocksByTrims> by_trims;  // of all but the untouched
  bool operator==(const BlockLifetimes&) const = default;
};

// latency_target=: what the depth was searched for, and where the search ended.
struct LatencyTarget {
  std::uint64_t target_ns = 0;  // 0: none
  std::uint64_t window_ns = 0;
  double percentile = 100;
  std::uint64_t depth = 0;
  bool operator==(const LatencyTarget&) const = default;
};

// steadystate=: what was looked for, and what was found in the last intervals.
struct SteadyState {
  std::string criterion = "iops";  // iops, bw, lat
  bool slope = false;              // of the line through the values; else the largest deviation from their mean
  double limit = 0;
  bool percent = false;  // limit and value are in percent of the mean
  std::uint64_t duration_s = 0;
  bool attained = false;
  double value = 0;                               // what was held against the limit last
  double max_deviation = 0;                       // iops, bytes/s or ns
  double slope_value = 0;                         // of them, an interval
  std::vector<double> iops, bytes_per_s, lat_ns;  // of each interval, oldest first; lat_ns: mean completion latency
  bool operator==(const SteadyState&) const = default;
};

// fio's IO depth buckets: 1, 2, 4, 8, 16, 32, >=64 for level; 0, 4, 8, 16, 32, 64, >=64 for submit and complete.
// Counts, not %.
struct DepthCounts {
  std::array<std::uint64_t, 7> level{}, submit{}, complete{};
  std::uint64_t submit_calls = 0, complete_calls = 0;  // totals that the percentages refer to
  bool operator==(const DepthCounts&) const = default;
};

// --idle-prof: how much of the CPUs' time a thread of the lowest priority got, and what its unit of work took where
// nothing disturbed it.
struct CpuIdleness {
  double system_percent = 0;
  std::vector<double> cpu_percent;  // each CPU that the run might use, in order
  bool each = false;                // percpu: the text has them too
  double unit_mean_us = 0, unit_stddev_us = 0;
  bool operator==(const CpuIdleness&) const = default;
};

using Options = std::vector<std::pair<std::string, std::string>>;  // canonical name, value as written

// How fio's reports show a job: what its options ask of them. No measured number depends on it.
struct Reporting {
  bool hidden = false;  // stats=0: fio's reports leave the job out
  bool both = false;    // unified_rw_reporting=both: each direction, and all of them as one
  std::uint32_t significant_figures = 4;
  std::uint32_t kb_base = 1024;
  std::uint32_t unit_base = 0;                // 1: rates in bits, 8: in bytes, 0: the engine's own, bytes
  std::optional<std::uint64_t> job_start_ms;  // by job_start_clock_id, where that is another clock than the calendar's
  bool operator==(const Reporting&) const = default;
};

struct Job {
  std::string name;
  std::string description;
  int group_id = 0;
  int job_number = 0;   // index in the run, from 0; members of a reported group carry their first
  int members = 1;      // > 1: this is a group_reporting sum of so many jobs
  int section = 0;      // the job section it came from; clones made by numjobs share it
  bool thread = false;  // a thread, not a forked process
  int pid = 0;
  int error = 0;  // first error's errno, 0 if none
  bool interrupted = false;
  bool running = false;     // of a report made in mid-run
  std::uint64_t eta_s = 0;  // of the run, then
  std::uint64_t start_epoch_ms = 0;
  std::uint64_t elapsed_s = 0;
  std::uint64_t job_runtime_ms = 0;
  std::string engine;
  io::EngineTraits traits;  // of the engine, for the audit; not written
  Options options;          // what the user wrote for this job
  Options seeds;            // of a repetition (--repeat): options that draw what it drew; empty: as the job is written
  std::uint64_t iodepth = 1;
  std::uint64_t bs_min[kDirs] = {}, bs_max[kDirs] = {};
  std::string rw;                  // canonical: randread, rw, ...
  std::uint64_t read_back_ns = 0;  // verify=: reading back, after what runtimes of writes cover
  Verified verified;
  std::vector<double> percentile_list;
  bool slat_percentiles = false, clat_percentiles = true, lat_percentiles = false;
  bool unified = false;
  Reporting reporting;
  bool has_slat = false;  // asynchronous engine: slat is measured
  std::array<Direction, kDirs> dirs;
  std::uint64_t series_width_ms = 0;  // a point of its series stands for so much: 500, doubled as often as needed
  std::uint64_t sync_ios = 0;
  Latency sync_lat;
  double usr_cpu_percent = 0, sys_cpu_percent = 0;
  std::optional<double> cpu_wait_percent;  // of the same time: ready, and waiting for a CPU
  std::uint64_t ctx_switches = 0, major_faults = 0, minor_faults = 0;
  DepthCounts depth;
  std::vector<double> latency_shares = {};  // percent by fio's 32 labels, of an older file that has no histogram
  Stamps stamps;
  ClockFacts clock;
  std::optional<OwnCost> own_cost;  // none: the run was too short to spend time on it
  Rate rate;
  Delivery delivery;
  ProcessIo process_io;
  std::optional<QueueStats> queue;  // engines with queue pairs of their own
  std::vector<IoError> errors;      // the first of them; with error_dump more
  std::uint64_t error_count = 0;
  bool goes_on = false;    // after failed I/Os: continue_on_error, ignore_error
  int first_io_error = 0;  // of failed I/Os, those that the job went on after too
  std::uint64_t io_errors = 0;
  LatencyTarget latency_target;
  std::optional<SteadyState> steady_state;
  std::optional<BlockLifetimes> block_lifetimes;
  bool operator==(const Job&) const = default;
};

// fio's "Run status group N": one direction of one group.
struct GroupDirection {
  bool used = false;
  std::uint64_t bytes = 0;
  double agg_bytes_per_s = 0, min_bytes_per_s = 0, max_bytes_per_s = 0;
  std::uint64_t min_run_ms = 0, max_run_ms = 0;
  // Of a group of several reported jobs what they did together, as Direction has it of one: latencies of one histogram of
  // all, in which an interval's percentiles are.
  std::vector<SeriesPoint> series;
  std::string series_latency;
  bool operator==(const GroupDirection&) const = default;
};
struct Group {
  int id = 0;
  std::array<GroupDirection, kDirs> dirs;
  bool operator==(const Group&) const = default;
};

// /sys/block/NAME/stat, end minus begin. `members` holds the disks under a device-mapper or md device.
struct Disk {
  std::string name;
  std::uint64_t read_ios = 0, write_ios = 0, read_merges = 0, write_merges = 0, read_sectors = 0, write_sectors = 0;
  std::uint64_t read_ticks_ms = 0, write_ticks_ms = 0, in_queue_ms = 0;
  double util_percent = 0;
  std::vector<Disk> members;
  bool operator==(const Disk&) const = default;
};

struct DeviceFacts {
  std::string target;  // path the job named
  std::string kind;    // regular, block, character
  std::string file_system, mount_point, mount_options;
  std::string disk;  // kernel name, "vda"
  std::string model, serial, scheduler;
  std::uint64_t size_bytes = 0;
  std::uint32_t logical_block_bytes = 0;
  bool rotational = false;
  bool operator==(const DeviceFacts&) const = default;
};

struct HostFacts {
  std::string hostname, kernel, machine, cpu_model, distribution, clock_source, governor, hypervisor;
  std::uint32_t cpus_online = 0, cpus_allowed = 0;
  std::uint64_t memory_bytes = 0, page_bytes = 0;
  std::uint64_t memory_limit_bytes = 0;  // of the cgroups it runs in, the least; 0: none
  double load_average_1min = 0;
  std::vector<DeviceFacts> devices;
  bool operator==(const HostFacts&) const = default;
};

// --settle: what was waited for, and the background that remained.
struct Settle {
  bool asked = false;
  bool settled = false;
  double waited_s = 0;
  double background_cpu_percent = 0;
  double background_disk_iops = 0, background_disk_bytes_per_s = 0;
  bool operator==(const Settle&) const = default;
};

// --repeat: one number over the repetitions. From three values on, ci95_* are a 95 % interval (stats/repeat.h); of
// fewer they are the smallest and the largest.
struct RepeatedMetric {
  std::string job, direction, metric, unit;  // "t", "read", "iops", "1/s"
  std::vector<double> values;
  double mean = 0, stddev = 0, median = 0, ci95_low = 0, ci95_high = 0;
  bool operator==(const RepeatedMetric&) const = default;
};

struct Program {
  std::string name = "fathom";
  std::string version, commit, compiler;
  std::vector<std::string> argv;
  std::string fio_version = "fio-3.42";
  bool fio_mode = false;
  bool operator==(const Program&) const = default;
};

// Files that were made or extended before a job started.
struct Layout {
  std::string job;
  std::uint64_t files = 0, bytes = 0;
  bool operator==(const Layout&) const = default;
};

struct Run {
  int schema_version = kSchemaVersion;
  std::string run_id;  // a UUID; empty: not known
  Program program;
  std::uint64_t time_epoch_ms = 0;
  std::uint64_t end_epoch_ms = 0;   // when the last job was over; 0: not known
  std::optional<int> utc_offset_s;  // of the zone it was reported in, east of UTC; none: the reader's own
  Options global_options;
  std::vector<Job> jobs;           // as reported: group_reporting already applied
  std::vector<Job> group_members;  // the single jobs under a group_reporting sum, in order
  std::vector<Group> groups;
  std::vector<Layout> layouts;
  std::vector<Disk> disks;
  HostFacts host;
  Settle settle;
  std::vector<Finding> findings;
  std::vector<IoError> errors;              // of all jobs, and those that belong to none
  std::optional<Audit> audit;               // none: --audit=off
  std::optional<Breakdown> breakdown;       // --breakdown
  std::vector<WatcherCost> watching;        // --cost
  std::optional<Paging> paging;             // `fathom paging`; then there are no jobs
  std::optional<CpuIdleness> cpu_idleness;  // --idle-prof
  bool interrupted = false;
  std::vector<RepeatedMetric> repeated;
  std::vector<Run> repetitions;  // --repeat: every raw result
  bool operator==(const Run&) const = default;
};

}  // namespace fathom::result
